BEGIN { print "typedef int commands_none;" }
