/*
 * tests/unit/scrub_corpus.h - secrets and what only looks like one.
 *
 * None was ever valid.  Literals are split so that scanners of repositories do
 * not take them for leaks.
 */
#ifndef TESTS_SCRUB_CORPUS_H
#define TESTS_SCRUB_CORPUS_H

#define A20	"aB3dE5fG7hJ9kL1mN2pQ"
#define A36	"aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1b"
#define HEX32	"0123456789abcdef0123456789abcdef"

/* text, and the part of it that must not be left */
static const struct {
	const char *text, *secret;
} corpus_secrets[] = {
	/* providers' shapes */
	{ "aws: AK" "IAIOSFODNN7EXAMPLE", "IOSFODNN7EXAMPLE" },
	{ "export K=AS" "IAQ3EGUSV7EXAMPLE1;", "Q3EGUSV7EXAMPLE1" },
	{ "git clone https://gh" "p_" A36 "@github.com/a/b", A36 },
	{ "remote: gh" "o_" A36, A36 },
	{ "token gh" "s_" A36 " expired", A36 },
	{ "gith" "ub_pat_11ABCDEFG0" A36 "_x", A36 },
	{ "PRIVATE: gl" "pat-" A20, A20 },
	{ "xo" "xb-123456789012-123456789012-" A20, A20 },
	{ "posting with xo" "xp-1234-5678-" A20, A20 },
	{ "sk" "_live_" A20 "abcd", A20 },
	{ "rk" "_test_" A20 "abcd", A20 },
	{ "wh" "sec_" A36, A36 },
	{ "using sk" "-ant-api03-" A36 "-AA", A36 },
	{ "OPENAI sk" "-proj-" A36, A36 },
	{ "old sk" "-" A36, A36 },
	{ "AI" "zaSyA1234567890abcdefghijklmnopqrstuv", "SyA1234567890" },
	{ "ya" "29.a0AfH6SMB" A36, A36 },
	{ "GO" "CSPX-" A20 "abcdefgh", A20 },
	{ "//registry.example/:_authToken=np" "m_" A36, A36 },
	{ "upload with py" "pi-AgEIcHlwaS5vcmcCJD" A36 A36, A36 },
	{ "do" "p_v1_" HEX32 HEX32, HEX32 },
	{ "SG" ".abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789"
	    "ABCDEFG", "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG" },
	{ "login hf" "_" A36, A36 },
	{ "hv" "s.CAESI" A36, A36 },
	{ "gl" "sa_" A36 "_0a1b2c3d", A36 },
	{ "sh" "pat_" HEX32, HEX32 },
	{ "dc" "kr_pat_" A36, A36 },
	{ "AGE-SEC" "RET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQQPZRY9X8GF2TVD"
	    "W0S3JNQQ", "GF2TVDW0S3JN54KHCE6MUA7L" },
	{ "gs" "k_" A36 "abcdefgh1234", A36 },
	{ "xa" "i-" A36 A20, A36 },
	/* JWT, PEM */
	{ "cookie: ey" "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgN"
	    "ryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U", "dozjgNryP4J3jVm" },
	{ "-----BEGIN RSA PRIV" "ATE KEY-----\nMIIEow\nabc\n-----END RSA PRIV"
	    "ATE KEY-----\nrest", "MIIEow" },
	{ "-----BEGIN OPENSSH PRIV" "ATE KEY-----\nb3BlbnNzaC1rZXk\n"
	    "-----END OPENSSH PRIV" "ATE KEY-----", "b3BlbnNzaC1rZXk" },
	{ "-----BEGIN PRIV" "ATE KEY-----\nMIIEvQIBADAN cut off here",
	    "MIIEvQIBADAN" },
	{ "{\"private_key\":\"-----BEGIN PRIV" "ATE KEY-----\\nMIIEvQ\\n"
	    "-----END PRIV" "ATE KEY-----\\n\"}", "MIIEvQ" },
	/* headers */
	{ "Authorization: Bearer " A36, A36 },
	{ "curl -H 'authorization: bearer " A20 "'", A20 },
	{ "Authorization: Basic dXNlcjpodW50ZXIy", "dXNlcjpodW50ZXIy" },
	{ "Authorization: token " A36, A36 },
	{ "X-Api-Key: " A20, A20 },
	{ "Private-Token: " A20, A20 },
	{ "Set-Cookie: session_key=" A20 "; Path=/", A20 },
	/* URLs */
	{ "postgres://app:hunter2@db.internal:5432/app", "hunter2" },
	{ "redis://:s3cr3t@cache:6379/0", "s3cr3t" },
	{ "https://user:p%40ss@example.com/x", "p%40ss" },
	{ "mongodb+srv://u:Tr0ub4dor@c0.example.net/db", "Tr0ub4dor" },
	{ "amqp://guest:rabbit99@mq//", "rabbit99" },
	/* names: shell, .env, yaml, json, ini, code */
	{ "DB_PASSWORD=hunter2", "hunter2" },
	{ "export PGPASSWORD='correct horse battery'",
	    "correct horse battery" },
	{ "MYSQL_ROOT_PASSWORD: tiger-lily-9", "tiger-lily-9" },
	{ "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	    "wJalrXUtnFEMI" },
	{ "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	    "K7MDENG" },
	{ "SECRET_KEY_BASE=" HEX32, HEX32 },
	{ "{\"password\": \"hunter2\"}", "hunter2" },
	{ "{\\\"api_key\\\": \\\"" A20 "\\\"}", A20 },
	{ "'client_secret' => 'q8w7e6r5t4'", "q8w7e6r5t4" },
	{ "apiKey: \"" A20 "\"", A20 },
	{ "const accessToken = '" A20 "';", A20 },
	{ "  token: " A20, A20 },
	{ "passwd=letmein99&user=bob", "letmein99" },
	{ "?access_token=" A20 "&x=1", A20 },
	{ "config[\"secret\"] = \"opensesame\"", "opensesame" },
	{ "AccountKey=abc123DEF456ghi789JKL012mno345==;Endpoint=x",
	    "abc123DEF456ghi789" },
	{ "Server=db;User Id=sa;Password=Pa55w.rd;", "Pa55w.rd" },
	{ "spring.datasource.password=tops3cret", "tops3cret" },
	{ "_auth = \"dXNlcjpwYXNzd29yZA==\"", "dXNlcjpwYXNzd29yZA" },
	{ "ENCRYPTION_KEY=" A20, A20 },
	{ "NPM_TOKEN=" HEX32, HEX32 },
	/* command lines */
	{ "mysql --password=hunter2 -u root", "hunter2" },
	{ "tool login --token " A20, A20 },
	{ "vault login --password 'hunter two'", "hunter two" },
	{ "curl -u admin:hunter2 http://x/", "hunter2" },
	{ "curl --user admin:hunter2 http://x/", "hunter2" },
	{ "sshpass -p hunter2 ssh host", "hunter2" },
	{ "docker login -u bob -p hunter2 registry.example", "hunter2" },
	{ "echo hunter2 | docker login --password-stdin", "hunter2" },
	{ "machine api.example login bob password hunter2", "hunter2" },
	{ "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "K7MDENG" },
	/* keys in base64: a kubeconfig's, and a wrapped one */
	{ "    client-key-data: LS0tLS1CRUdJTi" "BSU0EgUFJJVkFURSBLRVktLS0t"
	  "LQpNSUlFb3dJQkFBS0NBUUVBMEZy" A36 A36 A36 "\n", A36 },
	{ "  tls.key: LS0tLS1CRUdJTi" "BQUklWQVRFIEtFWS0tLS0tCk1JSUV2UUlC"
	  "QURBTkJna3Foa2lH" A36 A36 A36, "QURBTkJna3Foa2lH" },
	{ "LS0tLS1CRUdJTi" "BPUEVOU1NIIFBSSVZBVEUgS0VZLS0tLS0KYjNCbGJu"
	  "TnphQzFyWlhrdGRqRUFB\n"
	  "QUFBQkc1dmJtVUFBQUFFYm05dVpRCi0tLS0tRU5E\nthe end\n",
	  "QUFBQkc1dmJtVUFBQUFF" },
	{ "PresharedKey = iF4AcEMxuWQKqh29HYVOJmL8KThFi5UewsiO0MVoWdy=",
	  "iF4AcEMxuWQKqh29HYVO" },
	{ "wifi-security.psk=hunter2xyz", "hunter2xyz" },
	/* in colours: `jq -C`, `grep --color=always` */
	{ "\033[34;1m\"password\"\033[0m\033[1;39m: \033[0;32m\"hunter2x\""
	  "\033[0m", "hunter2x" },
	{ "key \033[01;31m\033[KAK" "IAIOSFODNN7EXAMPLE\033[m\033[K here",
	  "IOSFODNN7EXAMPLE" },
};

/* must come through unchanged */
static const char *const corpus_harmless[] = {
	"commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
	"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a",
	"\"integrity\": \"sha512-q8w7e6r5t4y3u2i1o0pASDFGHJKLzxcvbnm==\"",
	"id 123e4567-e89b-12d3-a456-426614174000",
	"max_tokens=4096", "max_tokens: 4096", "\"total_tokens\": 1532",
	"token_count = 17", "tokenizer = load('bert')", "tokens: [1, 2, 3]",
	"password_file=/run/secrets/db", "PASSWORD_FILE: /run/secrets/db",
	"secretName: db-credentials-v1", "secret_name=\"prod/db\"",
	"PASSWORD=$DB_PASSWORD", "password: ${DB_PASSWORD}",
	"password={{ vault_password }}", "token: <your token>",
	"API_KEY=your-api-key-here", "api_key = YOUR_API_KEY_HERE",
	"password=********", "password: xxxxxxxx", "token: null",
	"token = None", "secret: true", "password: string",
	"password = getpass.getpass()", "token = os.environ['TOKEN']",
	"token: process.env.TOKEN", "const token = await getToken();",
	"login(user, password=password)", "self.token = token",
	"if (token == NULL)", "struct token *token;", "next_token(&lexer);",
	"password: must be at least eight characters",
	"Enter password:", "Password for bob: ", "wrong password",
	"secret ballot", "the token expired yesterday",
	"bearer of bad news", "a basic understanding of things",
	"the token bucket algorithm", "Bearer authentication required",
	"PWD=/home/u/proj", "OLDPWD=/tmp", "key: value", "key = \"name\"",
	"primary_key: id", "public_key = \"ssh-ed25519 AAAAC3Nza\"",
	"foreign_key=user_id", "sort_key=created_at",
	"-----BEGIN CERTIFICATE-----\nMIIDdz\n-----END CERTIFICATE-----",
	"-----BEGIN PUBLIC KEY-----\nMFkwEw\n-----END PUBLIC KEY-----",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ user@host",
	"https://example.com:8080/path", "http://localhost:3000@v2",
	"https://github.com/a/b@main", "git@github.com:a/b.git",
	"scp file host:/tmp", "ssh://git@host:22/x",
	"AKIA is a prefix", "use ghp_ tokens", "sk-learn", "sk-SK locale",
	"npm_config_registry=https://r.example", "npm_lifecycle_event=test",
	"hf_hub_download(repo)", "eyJhbGciOiJub25lIn0", "SG.x", "task-list",
	"risk-assessment-of-everything-we-do-here-today",
	"ls -la /etc/passwd", "cat ~/.ssh/id_ed25519.pub",
	"curl -u admin http://x/", "tar -u file:name",
	"docker run -u 1000:1000 image", "chown --user root:root",
	"pass: 12, fail: 3", "tests pass = 40", "auth: none", "auth = basic",
	"author: Jane", "authority: city council", "compass: north",
	"credentials: include", "passwordless: true",
	"session.token_type=bearer", "MY_SECRET", "--token-file /x/y",
	"bypass=all-the-things", "key_id: 42", "api_key_id = 7",
	"client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUU",
	"\033[32mok\033[0m 12 tests, \033[1mtoken_count\033[0m = 17",
	"WPA-PSK is on", "psk: true",
};

#endif
