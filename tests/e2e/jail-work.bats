#!/usr/bin/env bats
# Large programs in a jail, and package managers through its proxy, from a
# registry of the test's own; cargo and a browser.  `make check-e2e` installs
# them.

load ../jail

setup() {
	jail_setup
	jail_server registry.py "$top/log"
	here=127.0.0.1:$port
	settings "{\"filesystem\":{\"allowWrite\":[\".\"]},\"network\":{\"allowedDomains\":[\"$here\"]}}"
}

teardown() { jail_teardown; }

# npm and pip keep caches at home, which cannot be written here.
work() {
	jail env npm_config_cache="$top/p/.cache" PIP_CACHE_DIR="$top/p/.cache" \
	    npm_config_update_notifier=false PIP_DISABLE_PIP_VERSION_CHECK=1 "$@"
}

@test "node: a server, fetch, workers and a child" {
	cat >t.mjs <<-'END'
	import http from 'node:http';
	import { Worker } from 'node:worker_threads';
	import { execFileSync } from 'node:child_process';
	const server = http.createServer((q, a) => a.end('served')).listen(0, '127.0.0.1');
	await new Promise(r => server.on('listening', r));
	console.log(await (await fetch(`http://127.0.0.1:${server.address().port}/`)).text());
	server.close();
	const w = new Worker('require("worker_threads").parentPort.postMessage(6 * 7)', { eval: true });
	console.log(await new Promise(r => w.on('message', r)));
	console.log(execFileSync('echo', ['child']).toString().trim());
	http.get('http://HERE/tiny', a => a.resume().on('end', () => console.log(a.statusCode)));
	END
	sed -i "s/HERE/$here/" t.mjs
	run jail node t.mjs
	[ "$status" -eq 0 ]
	[ "$output" = "served
42
child
200" ]
}

@test "npm installs, and runs a package's script, through the proxy and without" {
	for proxy in localhost,127.0.0.1 ''; do
		rm -rf node_modules package.json package-lock.json
		echo '{"name":"p","version":"1.0.0","scripts":{"test":"node -p \"require('"'tiny'"')\""}}' >package.json
		[ "$(id -u)" -ne 0 ] || chown nobody package.json
		run work env no_proxy="$proxy" NO_PROXY="$proxy" \
		    npm install --no-audit --no-fund --registry "http://$here/" tiny
		echo "$output"
		[ "$status" -eq 0 ]
		[ "$(cat node_modules/tiny/built)" = yes ]
		run work npm test
		[[ $output == *42* ]]
	done
	grep -q "^/tiny.tgz $here" "$top/log"
	# Elsewhere there is no registry.
	run work timeout 60 npm view --fetch-retries 0 --registry http://evil.test/ tiny
	[ "$status" -ne 0 ]
	[[ $output == *"refused: evil.test"* ]]
}

@test "pip installs into a virtual environment" {
	run work bash -ec 'python3 -m venv v
	    v/bin/pip install -q --index-url "http://$1/simple" tiny
	    v/bin/python -c "import tiny; print(tiny.ANSWER)"' _ "$here"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *42 ]]
}

@test "java compiles and runs" {
	cat >T.java <<-'END'
	public class T {
		public static void main(String[] a) throws Exception {
			var t = new Thread[8];
			var sum = new java.util.concurrent.atomic.AtomicInteger();
			for (int i = 0; i < t.length; i++)
				(t[i] = new Thread(() -> sum.addAndGet(5))).start();
			for (var x : t)
				x.join();
			System.out.println(sum.get());
		}
	}
	END
	run jail bash -ec 'javac T.java; java T'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *40 ]]
}

@test "cargo builds and tests" {
	run jail env CARGO_HOME="$top/p/cargo" bash -ec \
	    'cargo init -q --vcs none --name hello r; cd r; cargo test -q --offline; cargo run -q --offline'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"Hello, world!"* ]]
}

@test "a browser loads a page and runs its script" {
	# Its own jail needs namespaces, which ours does not give: it runs without.
	run work timeout 60 chromium --headless --no-sandbox --disable-gpu \
	    --user-data-dir="$top/p/chromium" --virtual-time-budget=5000 \
	    --dump-dom "http://$here/page"
	echo "$output"
	[[ $output == *"got tiny"* ]]
}
