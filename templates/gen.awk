# templates/gen.awk - turn text files into C arrays, named after the files:
# policy.json becomes `const char template_policy_json[]`.
# usage: awk -f gen.awk FILE... > templates.c
function close_array()
{
	if (open)
		print "\t\"\";"
	open = 0
}
BEGIN {
	print "/* Made from templates/ by templates/gen.awk. */"
	print "#include \"templates/templates.h\""
	print "#pragma GCC diagnostic ignored \"-Woverlength-strings\""
}
FNR == 1 {
	close_array()
	name = FILENAME
	sub(/.*\//, "", name)
	if (name ~ /\.h$/) {
		nextfile
	}
	gsub(/[^A-Za-z0-9]/, "_", name)
	printf "\nconst char template_%s[] =\n", name
	open = 1
}
open {
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	printf "\t\"%s\\n\"\n", $0
}
END { close_array() }
