# policy/commands/gen.awk - from the *.txt tables to C.  docs/POLICY.md has the
# grammar.  Plain POSIX awk: gawk and mawk give the same bytes.

function fail(why) {
	printf "%s:%d: %s\n", FILENAME, FNR, why > "/dev/stderr"
	bad = 1
	exit 1
}
function role(word) {
	if (!(word in roles))
		fail("no such role: " word)
	return "ROLE_" toupper(word)
}
function begin(name) {
	if (name in index_of)
		fail("twice: " name)
	n++
	index_of[name] = n
	names[n] = name
	head[n] = first_of_block
	style[n] = "GNU"
	special[n] = "NONE"
	number[n] = subs[n] = needs[n] = safe[n] = "false"
	alone[n] = "ROLE_DATA"
	hosts[n] = ""
	reads[n] = "false"
	n_opts[n] = n_does[n] = 0
	takes[n] = turned[n] = "{ 0, 0, 0, 0, false, false }"
}
function begin_sub(name,   parent) {
	parent = name
	sub(/ [^ ]*$/, "", parent)
	if (!(parent in index_of))
		fail("no parent: " parent)
	begin(name)
	subs[index_of[parent]] = "true"
}
# Where a string stands in commands_text, a list of roles in commands_roles.
function text(s) {
	if (!(s in text_at)) {
		text_at[s] = text_len
		texts[++n_texts] = s
		text_len += length(s) + 1
	}
	return text_at[s]
}
function list(s) {
	if (s == "")
		return 0
	if (!(s in list_at)) {
		list_at[s] = list_len
		lists[++n_lists] = s
		list_len += split(s, parts, ",")
	}
	return list_at[s]
}
# The bytes of a string and its end, as an array's elements: a literal of that
# length is more than ISO C promises.
function bytes(s,   i, out) {
	out = ""
	for (i = 1; i <= length(s); i++)
		out = out "'\\x" byte[substr(s, i, 1)] "', "
	return out "0,"
}
# A list of roles: A B... C
function operands(from,   i, w, first, nf, rest, last) {
	first = ""; nf = 0; rest = ""; last = ""
	for (i = from; i <= NF; i++) {
		w = $i
		if (w == "nothing")
			continue
		if (w ~ /\.\.\.$/) {
			sub(/\.\.\.$/, "", w)
			if (rest != "")
				fail("two lists of operands")
			rest = role(w)
		} else if (rest != "") {
			last = role(w)
		} else {
			first = first (nf++ ? ", " : "") role(w)
		}
	}
	return sprintf("{ %s, %d, %s, %s, %s, %s }", list(first), nf,
	    rest != "" ? rest : "0", last != "" ? last : "0",
	    rest != "" ? "true" : "false", last != "" ? "true" : "false")
}
function option(name, kind, r) {
	sub(/=$/, "", name)
	if (name !~ /^[-+]/)
		fail("no option: " name)
	declare(name, kind, r)
}
function declare(name, kind, r,   p) {
	for (p = first_of_block; p <= n; p++) {
		if ((p, name) in seen)
			fail("twice: " name)
		seen[p, name] = ++n_opts[p]
		opts[p, n_opts[p]] = name
		kinds[p, n_opts[p]] = kind
		opt_roles[p, n_opts[p]] = r
		drops[p, n_opts[p]] = turns[p, n_opts[p]] = "false"
	}
}
function mark(what, name,   p, k) {
	for (p = first_of_block; p <= n; p++) {
		k = seen[p, name]
		if (!k)
			fail("not declared: " name)
		if (what == "drops")
			drops[p, k] = "true"
		else
			turns[p, k] = "true"
	}
}
function each(array, value,   p) {
	for (p = first_of_block; p <= n; p++)
		array[p] = value
}

BEGIN {
	text_len = list_len = n_all = 0
	for (i = 1; i < 256; i++)
		byte[sprintf("%c", i)] = sprintf("%02x", i)
	split("data list read tree keep stage alias write delete wipe ask code " \
	    "exec net secret privilege process persist history device sets script later " \
	    "command sed awk jq inline mode suffix clock word rev glob " \
	    "local switch body sent named cookie method carry sql remote endpoint", words, " ")
	for (i in words)
		roles[words[i]] = 1
}
{ sub(/^[ \t]+/, "") }
/^#/ || NF == 0 { next }
$1 == "program" {
	first_of_block = n + 1
	for (i = 2; i <= NF; i++)
		begin($i)
	program = $2
	owner = first_of_block
	owners = n
	next
}
$1 == "sub" {
	if (program == "")
		fail("sub without program")
	first_of_block = n + 1
	for (i = 2; i <= NF; i++) {
		path = $i
		gsub(/\//, " ", path)
		for (o = owner; o <= owners; o++)
			begin_sub(names[o] " " path)
	}
	next
}
program == "" { fail("nothing begun") }
$1 == "style" { each(style, toupper($2)); next }
$1 == "special" { each(special, $2); next }
$1 == "number" { each(number, "true"); next }
$1 == "safe" { each(safe, "true"); next }
$1 == "alone" { v = role($2); each(alone, v); next }
$1 == "needs" { each(needs, "true"); next }
$1 == "host" { each(hosts, $2); next }
$1 == "reads" { each(hosts, $2); each(reads, "true"); next }
$1 == "takes" { v = operands(2); each(takes, v); next }
$1 == "turned" { v = operands(2); each(turned, v); next }
$1 == "does" {
	for (p = first_of_block; p <= n; p++)
		for (i = 2; i <= NF; i++)
			does[p, ++n_does[p]] = role($i)
	next
}
$1 == "flags" { for (i = 2; i <= NF; i++) option($i, "NONE", "ROLE_DATA"); next }
$1 == "flag" { for (i = 3; i <= NF; i++) option($i, "NONE", role($2)); next }
$1 == "word" { for (i = 3; i <= NF; i++) declare($i, "NONE", role($2)); next }
$1 == "value" { for (i = 3; i <= NF; i++) option($i, "VALUE", role($2)); next }
$1 == "pair" { for (i = 3; i <= NF; i++) option($i, "PAIR", role($2)); next }
$1 == "maybe" { for (i = 3; i <= NF; i++) option($i, "MAYBE", role($2)); next }
$1 == "drops" { for (i = 2; i <= NF; i++) mark("drops", $i); next }
$1 == "turns" { for (i = 2; i <= NF; i++) mark("turns", $i); next }
$1 == "example" {
	verdict = $2
	line = $0
	sub(/^example[ \t]+[a-z]+[ \t]+/, "", line)
	n_examples++
	ex_names[n_examples] = names[first_of_block]
	ex_verdicts[n_examples] = verdict
	ex_lines[n_examples] = line
	next
}
{ fail("not understood: " $1) }

END {
	if (bad)
		exit 1
	print "/* made by policy/commands/gen.awk */"
	print "#include \"policy/commands/table.h\"\n"
	print "const struct cmd_option commands_options[] = {"
	for (p = 1; p <= n; p++) {
		if (head[p] != p)
			continue
		first_opt[p] = n_all
		for (k = 1; k <= n_opts[p]; k++) {
			printf "\t{ %d, TAKES_%s, %s, %s, %s },\n",
			    text(opts[p, k]), kinds[p, k],
			    opt_roles[p, k], drops[p, k], turns[p, k]
			n_all++
		}
		done[p] = ""
		for (k = 1; k <= n_does[p]; k++)
			done[p] = done[p] (k > 1 ? ", " : "") does[p, k]
	}
	print "};"
	# insertion sort by bytes; the names are few
	for (i = 1; i <= n; i++) {
		for (j = i; j > 1 && names[order[j - 1]] > names[i]; j--)
			order[j] = order[j - 1]
		order[j] = i
	}
	print "const struct cmd_program commands_programs[] = {"
	for (i = 1; i <= n; i++) {
		p = order[i]
		printf "\t{ %d, STYLE_%s, SPECIAL_%s, %s, %s, %s, %s, %s,\n",
		    text(names[p]), style[p], special[p], alone[p],
		    number[p], subs[p], needs[p], safe[p]
		printf "\t    %d, %d, %s, %s, %d, %d, %d, %s },\n",
		    first_opt[head[p]], n_opts[p], takes[p], turned[p],
		    list(done[head[p]]), n_does[p], text(hosts[p]), reads[p]
	}
	print "};"
	printf "const size_t commands_count = %d;\n", n
	if (text_len > 65535 || n_all > 65535)
		fail("the tables outgrew their offsets")
	print "const char commands_text[] = {"
	for (i = 1; i <= n_texts; i++)
		print bytes(texts[i])
	print "};\nconst uint8_t commands_roles[] = {"
	for (i = 1; i <= n_lists; i++)
		print "\t" lists[i] ","
	print "\t0\n};\nconst char commands_examples[] = {"
	for (i = 1; i <= n_examples; i++)
		print bytes(ex_names[i]) bytes(ex_verdicts[i]) bytes(ex_lines[i])
	print "\t0\n};"
}
