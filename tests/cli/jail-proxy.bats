#!/usr/bin/env bats
# What leads out of a jail: the proxy, as programs inside meet it.

load ../jail

setup() {
	jail_setup
	install -m 644 "$SRC/tests/jail/client.py" .
	jail_server server.py "$top/log"
	here=127.0.0.1:$port
	network "\"$here\", \"localhost:$port\""
}

teardown() { jail_teardown; }

# Which hosts are allowed, and more of the network section.
network() {
	settings "{\"network\":{\"allowedDomains\":[$1]${2-}}}"
}

client() {
	jail python3 client.py "$@"
}

# How many requests reached the server.
arrived() {
	cat "$top/log" 2>/dev/null | wc -l
}

@test "a request to an allowed host arrives, whole and back" {
	run client raw "GET http://$here/a?b HTTP/1.1\\r\\nHost: $here\\r\\nProxy-Authorization: Basic x\\r\\n\\r\\n"
	[ "$status" -eq 0 ]
	[[ $output == *"200 OK"*ok* ]]
	[ "$(cat "$top/log")" = "GET /a?b $here " ]
}

@test "another host is refused by name, with a way to ask" {
	run client raw "GET http://evil.test/ HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n"
	[[ $output == *"403 Denied by sandbox policy"* ]]
	[[ $output == *"evil.test port 80 cannot be reached"*"policy, not a fault"*"network.allowedDomains"* ]]
	[[ $output == *"sandbox: refused: evil.test port 80 (1 times)"* ]]
}

@test "CONNECT and SOCKS5 by name, and their refusals" {
	run client raw "CONNECT $here HTTP/1.1\\r\\nHost: $here\\r\\n\\r\\n" "GET /c HTTP/1.1\\r\\nHost: $here\\r\\n\\r\\n"
	[[ $output == *"200 Connection established"*ok* ]]
	run client socks localhost "$port"
	[[ $output == *"reply 0"*ok* ]]
	run client socks evil.test "$port"
	[[ $output == *"reply 2"* ]]
	run client raw "CONNECT evil.test:443 HTTP/1.1\\r\\n\\r\\n"
	[[ $output == *"403 Denied"* ]]
	[ "$(arrived)" -eq 2 ]
}

@test "the same port of another name is another host" {
	network "\"localhost:$port\""
	run client socks localhost "$port"
	# The name is allowed, the address behind it is this machine.
	[[ $output == *"reply 2"* ]]
	[ "$(arrived)" -eq 0 ]
}

@test "every request on a kept connection is judged" {
	run client raw "GET http://$here/1 HTTP/1.1\\r\\nHost: $here\\r\\n\\r\\n" "GET http://$here/2 HTTP/1.1\\r\\nHost: $here\\r\\n\\r\\n" "GET http://evil.test/3 HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n"
	[[ $output == *ok*ok*"403 Denied"* ]]
	run client raw "GET http://$here/4 HTTP/1.1\\r\\nHost: $here\\r\\n\\r\\nGET http://evil.test/5 HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n"
	[[ $output == *ok*"403 Denied"* ]]
	run client raw "CONNECT $here HTTP/1.1\\r\\n\\r\\n" "GET /6 HTTP/1.1\\r\\nHost: $here\\r\\n\\r\\n" "GET /7 HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n"
	[[ $output == *ok*"403 Denied"* ]]
	[ "$(arrived)" -eq 4 ]
}

@test "what two programs could read differently is refused and counted" {
	local p="POST http://$here/s HTTP/1.1\\r\\nHost: $here\\r\\n"
	run jail bash -c 'for r; do python3 client.py raw "$r"; done' _ \
	    "${p}Content-Length: 6\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nGET /x HTTP/1.1\\r\\n\\r\\n" \
	    "${p}Transfer-Encoding : chunked\\r\\n\\r\\n" \
	    "${p}Content-Length: 1\\r\\nContent-Length: 2\\r\\n\\r\\nab" \
	    "${p}X: a\\r\\n b\\r\\n\\r\\n" \
	    "GET http://$here/s HTTP/1.1\\nHost: $here\\n\\n" \
	    "GET http://$here/s HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n" \
	    "GET /s HTTP/1.1\\r\\nHost: $here\\r\\n\\r\\n" \
	    "GET http://$here@evil.test/ HTTP/1.1\\r\\nHost: $here\\r\\n\\r\\n"
	[ "$(grep -c 'HTTP/1.1 400 Bad Request' <<<"$output")" -eq 8 ]
	[[ $output == *"refused: - (8 times)"* ]]
	[ "$(arrived)" -eq 0 ]
}

@test "no request is smuggled past it" {
	install -m 644 "$SRC/tests/jail/smuggle.py" .
	run jail python3 smuggle.py "$here"
	[ "$status" -eq 0 ]
	[[ $output == *"sent 82"* ]]
	run grep -E 'evil' "$top/log"
	echo "$output"
	[ "$status" -ne 0 ]
	# It was alive all the time.
	client raw "GET http://$here/alive HTTP/1.1\\r\\nHost: $here\\r\\n\\r\\n"
	grep -q /alive "$top/log"
}

@test "on a port that settings name anything but HTTP is passed on" {
	cat >"$top/echo.py" <<-'EOF'
	import socket, threading
	def serve(c):
	    while (d := c.recv(65536)):
	        c.sendall(b"<" + d + b">")
	s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(9)
	print(s.getsockname()[1], flush=True)
	while True:
	    threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
	EOF
	python3 "$top/echo.py" >"$top/echo" 3>&- &
	pid=$!
	wait_for test -s "$top/echo"
	other=127.0.0.1:$(cat "$top/echo")
	network "\"$other\""
	for words in 'SSH-2.0-x' 'EHLO a.test' 'get key' '*1' 'USER a b HTTP/2' '{"a": 1}' ' x'; do
		run client raw "CONNECT $other HTTP/1.1\\r\\n\\r\\n" "$words\\r\\n"
		[[ $output == *"<$words"* ]]
	done
}

@test "HTTP/2 without TLS is refused on a port that settings name, and says so" {
	run client raw "CONNECT $here HTTP/1.1\\r\\n\\r\\n" "PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n"
	[[ $output == *"400 Bad Request"*"HTTP/2 without TLS"*"refused: "*"HTTP/2 without TLS"* ]]
	[ "$(arrived)" -eq 0 ]
}

@test "bodies with a length and in chunks, both ways" {
	head -c 3000000 /dev/zero >"$top/p/big"
	chmod 644 "$top/p/big"
	run jail bash -c 'curl -sS --noproxy "" -T - "http://$1/put" <big
	    curl -sS --noproxy "" --data-binary @big "http://$1/post"
	    curl -sS --noproxy "" "http://$1/size=50000000" | wc -c' _ "$here"
	[ "$status" -eq 0 ]
	[ "${lines[2]}" = 50000000 ]
	[ "$(arrived)" -eq 3 ]
}

@test "an upgrade to WebSocket is passed on, to HTTP/2 not" {
	run client raw "GET http://$here/w HTTP/1.1\\r\\nHost: $here\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n" hi
	[[ $output == *"101 Switching"*"echo:hi"* ]]
	run client raw "GET http://$here/w HTTP/1.1\\r\\nHost: $here\\r\\nUpgrade: h2c\\r\\nConnection: Upgrade\\r\\n\\r\\n"
	[[ $output == *"200 OK"* ]]
}

@test "slow clients and heads of 4 MB hold nobody up" {
	run client slow 300 "http://$here/after"
	[[ $output == *ok*"in time"* ]]
	run client huge 4000000 "http://$here/after"
	[[ $output == *"431 Request Header"*ok* ]]
}

@test "private and special addresses are closed unless they are named" {
	network '"*", "*:'"$port"'"'
	run jail bash -c 'for h in 127.0.0.1 0x7f.1 2130706433 "[::1]" "[::ffff:127.0.0.1]" 0.0.0.0 10.1.2.3 169.254.169.254 localhost; do
	    curl -sS --noproxy "" -o /dev/null -w "%{http_code}\n" "http://$h:$1/"; done' _ "$port"
	[ "$(grep -c '^403$' <<<"$output")" -eq 9 ]
	[ "$(arrived)" -eq 0 ]
}

@test "denied beats allowed, and names no program resolves are not resolved" {
	network '"*", "'"$here"'"' ', "deniedDomains":["127.0.0.1"]'
	run jail curl -sS --noproxy '' "http://$here/"
	[[ $output == *"the settings deny it"* ]]
	network '"a.test"'
	run jail getent hosts leak.evil.test
	[ "$status" -eq 2 ]
	[[ $output == *"refused: leak.evil.test"* ]]
	run jail getent hosts a.test
	[[ $output == 127.1.0.1* ]]
}

@test "a client that knows no proxy meets a wall of the same words" {
	network '"a.test"'
	run jail curl -sS --noproxy '*' http://a.test/
	[[ $output == *"was told not to"*"allowedDomains"* ]]
	# What knows no proxy is served; this name leads nowhere.
	run jail curl -sS --noproxy '*' -A node -w '%{http_code}' http://a.test/
	[[ $output == *"no address is known"*502* ]]
	# For another host than was connected to nothing is.
	run jail curl -sS --noproxy '*' -A node -H 'Host: b.test' http://a.test/
	[[ $output == *"for another host than the connection"* ]]
	network '"a.test"' ', "transparentHttp":true'
	run jail curl -sS --noproxy '*' -w '%{http_code}' http://a.test/
	[[ $output == *"no address is known"*502* ]]
	network '"a.test"'
	run jail curl -sS --noproxy '*' -m 5 "http://$here/"
	[ "$status" -ne 0 ]
	[ "$(arrived)" -eq 0 ]
}

@test "a loopback server that is named is where programs look for it" {
	network "\"$here\""
	run jail bash -c 'curl -sS "http://127.0.0.1:$1/a"; curl -sS "http://localhost:$1/b"
	    curl -sS --noproxy "*" -H "Host: evil.test" "http://127.0.0.1:$1/c"
	    curl -sS --noproxy "*" "http://127.0.0.2:$1/d"' _ "$port"
	[[ $output == ok$'\n'ok$'\n'*"for another host"* ]]
	[ "$(arrived)" -eq 2 ]
}

@test "nothing of it is left when the jail is over, nor when it is killed" {
	run jail true
	[ "$status" -eq 0 ]
	"$BUILD/sandbox" run "${user[@]}" --settings "$top/s.json" -- \
	    sleep 100 3>&- &
	local pid=$!
	wait_for pgrep -P "$pid" sandbox-proxy
	proxy=$(pgrep -P "$pid" sandbox-proxy)
	kill -KILL "$pid"
	gone() { ! kill -0 "$proxy" 2>/dev/null; }
	wait_for gone
}

@test "many connections cost no memory and no descriptors" {
	cat >count.sh <<-'EOF'
	python3 client.py many 500 "$1" >/dev/null
	touch "$2/first"
	until [ -e "$2/go" ]; do sleep 0.05; done
	python3 client.py many 1500 "$1" >/dev/null
	touch "$2/second"
	until [ -e "$2/end" ]; do sleep 0.05; done
	EOF
	chmod 644 count.sh
	mkdir -m 777 "$top/p/sync"
	settings "{\"network\":{\"allowedDomains\":[\"$here\"]},\"filesystem\":{\"allowWrite\":[\"sync\"]}}"
	"$BUILD/sandbox" run "${user[@]}" --settings "$top/s.json" -- \
	    bash count.sh "http://$here/" "$top/p/sync" 3>&- &
	local pid=$! a b
	wait_for test -e sync/first
	proxy=$(pgrep -P "$pid" sandbox-proxy)
	a=$(awk '/VmRSS/ { print $2 }' "/proc/$proxy/status")
	fds=$(awk '/FDSize/ { print $2 }' "/proc/$proxy/status")
	touch sync/go
	for _ in $(seq 3000); do [ -e sync/second ] && break; sleep 0.02; done
	[ -e sync/second ]
	b=$(awk '/VmRSS/ { print $2 }' "/proc/$proxy/status")
	[ "$(awk '/FDSize/ { print $2 }' "/proc/$proxy/status")" -eq "$fds" ]
	touch sync/end
	wait "$pid"
	# AddressSanitizer holds back what was freed, and looks for leaks itself.
	most=400
	if [ "$VARIANT" = asan ]; then most=262144; fi
	[ "$((b - a))" -lt "$most" ]
}

@test "a proxy that is missing or does not start means that nothing runs" {
	mkdir "$top/alone"
	cp "$BUILD/sandbox" "$BUILD/sandbox-gate" "$top/alone"
	chmod -R a+rx "$top/alone"
	run "$top/alone/sandbox" run "${user[@]}" --settings "$top/s.json" -- echo RAN
	[ "$status" -eq 125 ]
	[[ $output != *RAN* ]]
	printf '#!/bin/sh\nexit 0\n' >"$top/alone/sandbox-proxy"
	chmod 755 "$top/alone/sandbox-proxy"
	run "$top/alone/sandbox" run "${user[@]}" --settings "$top/s.json" -- echo RAN
	[ "$status" -eq 125 ]
	[[ $output == *"the proxy did not start"* ]]
	[[ $output != *RAN* ]]
}
