#!/usr/bin/env bats
# fetch_url: one approved page, by a program that holds no key.  A web server
# on loopback plays the network; where an address must look public, it has one
# in a network namespace of its own.

load ../approver
load ../mcp

setup()
{
	approver_setup
	cat > "$T/server.py" <<'P'
import gzip, http.server, sys, time
HTML = b"""<!doctype html><html><head><title>T&amp;C</title>
<style>p{color:red}</style><script>alert('<p>no</p>')</script></head>
<body><!-- hidden --><h1>Head</h1><p>One <b>two</b>
three&nbsp;&#8364;<ul><li>a<li>b</ul><pre>x
  y</pre></body></html>"""
PAGES = {
    "/html": ("text/html; charset=utf-8", HTML),
    "/text": ("text/plain", b"plain \xff text\x00\n"),
    "/latin": ("text/plain; charset=ISO-8859-1", b"caf\xe9\n"),
    "/json": ("application/problem+json", b'{"a":1}'),
    "/png": ("image/png", b"\x89PNG\r\n"),
    "/none": (None, b"what am I"),
    "/big": ("text/plain", b"x" * 5000000),
}
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a):
        with open(sys.argv[1], "a") as f:
            f.write(self.path + " " + str(dict(self.headers)) + "\n")
    def do_GET(self):
        if self.path.startswith("/to?"):
            self.send_response(302)
            self.send_header("Location", self.path[4:])
            self.end_headers()
            return
        if self.path == "/loop":
            self.send_response(302)
            self.send_header("Location", "/loop")
            self.end_headers()
            return
        if self.path == "/bomb":
            body = gzip.compress(b"0" * 50000000)
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(body)
            return
        if self.path == "/slow":
            time.sleep(600)
        kind, body = PAGES.get(self.path, ("text/plain", b"not here\n"))
        self.send_response(200 if self.path in PAGES else 404)
        if kind:
            self.send_header("Content-Type", kind)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass
s = http.server.ThreadingHTTPServer((sys.argv[3], 0), H)
open(sys.argv[2] + ".new", "w").write(str(s.server_address[1]))
import os
os.rename(sys.argv[2] + ".new", sys.argv[2])
s.serve_forever()
P
}

teardown()
{
	exec 9>&-
	if [ -n "${SERVER:-}" ]; then kill "$SERVER"; fi
	approver_teardown
}

serve()
{
	python3 "$T/server.py" "$T/asked" "$T/port" 127.0.0.1 3>&- &
	SERVER=$!
	until_true test -s "$T/port"
	PORT=$(cat "$T/port")
}

named() { policy '{"version":1,"network":{"allow":["127.0.0.1"]}}'; }

page()
{
	"$BUILD/sandbox-fetch" --state "$STATE" -- "http://127.0.0.1:$PORT$1"
}

@test "through MCP: asked, approved, text for the model, type for the human" {
	serve
	named
	mcp_start
	mcp_hello
	mcp_call 1 fetch_url \
	    "{\"url\":\"http://127.0.0.1:$PORT/html\",\"reason\":\"r\"}"
	new_request
	"$SANDBOX" show "$ID" | grep -q "127.0.0.1:$PORT/html"
	[ ! -e "$T/asked" ]
	approve > "$T/human" 2> "$T/human.err"
	grep -q 'HTTP 200, text/html; charset=utf-8, [0-9]* bytes, from http://127' \
	    "$T/human.err"
	mcp_reply 1
	status_is done
	[ "$(jget result.structuredContent.exit_code)" = 0 ]
	jget result.structuredContent.output > "$T/text"
	grep -q '^One two three €$' "$T/text"
	grep -q '^\* a$' "$T/text"
	[ "$(wc -l < "$T/asked")" -eq 1 ]
	# Nothing of the agent's or the human's goes along.
	run ! grep -iE 'cookie|authorization|proxy' "$T/asked"
}

@test "HTML becomes text: no tags, scripts, styles, comments" {
	serve
	named
	page /html > "$T/text"
	printf 'T&C\n\nHead\n\nOne two three €\n* a\n* b\n\nx\n  y\n' > "$T/want"
	diff <(cat -s "$T/want") <(cat -s "$T/text")
}

@test "what is text comes as valid UTF-8, what is not is not passed on" {
	serve
	named
	[ "$(page /text)" = 'plain � text�' ]
	[ "$(page /latin)" = 'café' ]
	[ "$(page /json)" = '{"a":1}' ]
	for p in /png /none; do
		run -1 --separate-stderr page $p
		[ -z "$output" ]
		[[ $stderr == *'no text and was not passed on'* ]]
	done
}

@test "a page that is not there is said, with its text" {
	serve
	named
	run -1 --separate-stderr page /missing
	[ "$output" = 'not here' ]
	[[ $stderr == *'HTTP 404'* ]]
}

@test "size is capped, also behind a compression bomb" {
	serve
	named
	for p in /big /bomb; do
		page $p > "$T/text" 2> "$T/err"
		[ "$(wc -c < "$T/text")" -eq 2097152 ]
		grep -q 'the rest was cut off' "$T/err"
	done
}

@test "time is capped by the policy" {
	serve
	policy '{"version":1,"network":{"allow":["127.0.0.1"]},
	    "limits":{"exec_timeout_s":1}}'
	mcp_start
	mcp_hello
	mcp_call 1 fetch_url \
	    "{\"url\":\"http://127.0.0.1:$PORT/slow\",\"reason\":\"r\"}"
	new_request
	run -137 approve
	mcp_reply 1
	[ "$(jget result.structuredContent.outcome)" = timeout ]
}

@test "a private address is refused after resolution, unless policy names it" {
	serve
	for host in localhost 127.0.0.1 '[::1]' 2130706433 0x7f.1 127.1; do
		run -6 "$BUILD/sandbox-fetch" --state "$STATE" -- \
		    "http://$host:$PORT/text"
		[[ $output == *'not public: refused'* ]]
	done
	[ ! -e "$T/asked" ]
}

@test "only http and https, no user, no file" {
	serve
	named
	for url in "ftp://127.0.0.1:$PORT/" "file:///etc/passwd" \
	    "gopher://127.0.0.1:$PORT/" "http://u:p@127.0.0.1:$PORT/text" \
	    "dict://127.0.0.1/" "127.0.0.1:$PORT/text"; do
		run ! "$BUILD/sandbox-fetch" --state "$STATE" -- "$url"
	done
	[ ! -e "$T/asked" ]
}

@test "a proxy in the environment is not used" {
	serve
	named
	http_proxy=http://127.0.0.1:1 https_proxy=http://127.0.0.1:1 \
	    ALL_PROXY=http://127.0.0.1:1 page /latin
}

@test "a redirect on the same host is followed, a loop is not" {
	serve
	named
	[ "$(page /to?/latin)" = 'café' ]
	run -6 page /loop
	[[ $output == *'more than 5'* ]]
}

# In a network of its own: a server at an address that looks public.
public()
{
	unshare -c -m -n --keep-caps sh -ec '
		ip link set lo up
		ip addr add 198.41.0.4/32 dev lo
		ip addr add 198.41.0.5/32 dev lo
		ip addr add 169.254.169.254/32 dev lo
		[ ! -e "$1/hosts" ] || mount --bind "$1/hosts" /etc/hosts
		rm -f "$1/port"
		python3 "$1/server.py" "$1/asked" "$1/port" 0.0.0.0 &
		p=$!
		trap "kill $p" EXIT
		until [ -s "$1/port" ]; do sleep 0.05; done
		url=$(echo "$4" | sed "s/PORT/$(cat "$1/port")/g")
		"$2/sandbox-fetch" --state "$3" -- "$url"
	' sh "$T" "$BUILD" "$STATE" "$1" 3>&-
}

@test "a public address is fetched; a redirect to another host is not" {
	[ "$(public http://198.41.0.4:PORT/latin)" = 'café' ]
	run -6 public 'http://198.41.0.4:PORT/to?http://198.41.0.5:PORT/latin'
	[[ $output == *'which was not approved: ask for that URL'* ]]
	run -6 public 'http://198.41.0.4:PORT/to?http://169.254.169.254:PORT/latin'
	[[ $output == *'which was not approved'* ]]
	run -6 public 'http://169.254.169.254:PORT/latin'
	[[ $output == *'not public'* ]]
	run -6 public 'http://198.41.0.4:PORT/to?file:///etc/passwd'
	run ! grep -q 169.254 <(grep -o 'Host.: .[0-9.]*' "$T/asked")
}

@test "a redirect to a host that policy lets pass is followed" {
	named
	[ "$(public 'http://198.41.0.4:PORT/to?http://127.0.0.1:PORT/latin')" = \
	    'café' ]
}

@test "what policy denies is not fetched, also behind a redirect" {
	policy '{"version":1,"rules":[{"id":"no","match":{"tool":"fetch_url",
	    "net":"127.0.0.1"},"verdict":"deny","why":"not there"}]}'
	run -6 public 'http://198.41.0.4:PORT/to?http://127.0.0.1:PORT/latin'
	[[ $output == *'policy denies'* ]]
}

@test "a name that leads to a public and a private address: only the first" {
	# As a name server would that changes its mind: each address is looked
	# at when it is connected to, whatever was resolved before.
	printf '198.41.0.9 two.test\n169.254.169.254 two.test\n127.0.0.1 in.test\n::ffff:127.0.0.1 mapped.test\n::1 in6.test\n' \
	    > "$T/hosts"
	for name in two in mapped in6; do
		run -6 public "http://$name.test:PORT/latin"
		[[ $output == *'not public: refused'* ]]
	done
	for host in '[::ffff:127.0.0.1]' '[::ffff:7f00:1]' '[::127.0.0.1]' \
	    '[64:ff9b::7f00:1]' '[fe80::1]' '[2002:7f00:1::]'; do
		run -6 public "http://$host:PORT/latin"
	done
	[ ! -e "$T/asked" ]
	printf '198.41.0.4 good.test\n' > "$T/hosts"
	[ "$(public http://good.test:PORT/latin)" = 'café' ]
	for to in http://u:p@198.41.0.4:PORT/latin ftp://198.41.0.4:PORT/x \
	    //169.254.169.254:PORT/latin 'http://[::ffff:169.254.169.254]/'; do
		run ! public "http://198.41.0.4:PORT/to?$to"
	done
	run ! grep -q 169.254 <(grep -o 'Host.: .[0-9.]*' "$T/asked")
	[ "$(grep -c '^/to?' "$T/asked")" -eq 4 ]
	[ "$(wc -l < "$T/asked")" -eq 5 ]
}
