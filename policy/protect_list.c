/* policy/protect_list.c - the protected and the secret names. */
#include "common/mem.h"
#include "policy/protect.h"
#include "policy/protect_list.h"
#include "common/banned.h"

#define CLOSED	GUARD_CLOSED
#define DENY	GUARD_DENY
#define ASK	GUARD_ASK

const struct guarded protect_guarded[] = {
	{ ".sandbox", CLOSED }, { ".local/state/sandbox", CLOSED },
	{ ".local/share/sandbox", CLOSED },
	{ "etc/sandbox", DENY }, { "bin/sandbox", DENY },
	{ "libexec/sandbox", DENY }, { ".git/hooks", DENY },
	{ ".git/config", DENY }, { ".git/config.worktree", DENY },
	{ ".claude/settings.json", DENY },
	{ ".claude/settings.local.json", DENY }, { ".claude/hooks", DENY },
	{ ".claude.json", DENY }, { "etc/claude-code", DENY },
	{ ".codex/config.toml", DENY }, { ".codex/hooks.json", DENY },
	{ "etc/codex", DENY }, { ".gemini/settings.json", DENY },
	{ ".cursor/hooks.json", DENY }, { ".windsurf/hooks.json", DENY },
	{ ".github/hooks", DENY }, { ".clinerules/hooks", DENY },
	{ ".opencode/plugin", DENY }, { ".opencode/plugins", DENY },
	{ ".config/opencode", DENY }, { ".config/sandbox", DENY },
	{ "opencode.json", DENY }, { "opencode.jsonc", DENY },
	{ ".git", ASK }, { ".gitmodules", ASK }, { ".gitconfig", ASK },
	{ ".claude", ASK }, { ".codex", ASK }, { ".gemini", ASK },
	{ ".cursor", ASK }, { ".opencode", ASK }, { ".windsurf", ASK },
	{ ".clinerules", ASK }, { ".mcp.json", ASK }, { ".envrc", ASK },
	{ ".husky", ASK }, { ".vscode", ASK }, { ".idea", ASK },
	{ ".zed", ASK },
	{ ".bashrc", ASK }, { ".bash_profile", ASK }, { ".bash_login", ASK },
	{ ".bash_logout", ASK }, { ".bash_aliases", ASK },
	{ ".profile", ASK }, { ".zshrc", ASK }, { ".zshenv", ASK },
	{ ".zprofile", ASK }, { ".zlogin", ASK }, { ".inputrc", ASK },
	{ ".ripgreprc", ASK }, { ".npmrc", ASK }, { ".vimrc", ASK },
	{ ".exrc", ASK }, { ".tmux.conf", ASK }, { ".screenrc", ASK },
	{ ".gdbinit", ASK }, { ".ssh", ASK }, { ".gnupg", ASK },
	{ ".config/git", ASK }, { ".config/systemd", ASK },
	{ ".config/autostart", ASK }, { ".config/fish", ASK },
	{ ".config/environment.d", ASK }, { ".cargo/config.toml", ASK },
	{ ".cargo/config", ASK }, { ".pam_environment", ASK },
	/* Whatever agent's directory it lies in. */
	{ "mcp.json", ASK }, { "mcp_config.json", ASK },
	{ "mcp_settings.json", ASK }, { ".continue", ASK },
	{ ".trae", ASK }, { ".augment", ASK }, { ".kiro/hooks", ASK },
	{ ".windsurfrules", ASK }, { ".aider.conf.yml", ASK },
	{ ".nvimrc", ASK }, { ".nvim.lua", ASK }, { ".config/nvim", ASK },
	{ ".lldbinit", ASK }, { ".yarnrc", ASK }, { ".yarnrc.yml", ASK },
	{ ".pnpmfile.cjs", ASK }, { ".devcontainer", ASK },
	{ ".devcontainer.json", ASK }, { "mise.toml", ASK },
	{ "mise.local.toml", ASK }, { ".mise.toml", ASK },
	{ ".mise.local.toml", ASK }, { ".config/mise", ASK },
};

const size_t protect_n_guarded = ARRAY_LEN(protect_guarded);

const struct secret protect_secrets[] = {
	{ ".env", true }, { ".env.*", true }, { ".envrc", true },
	{ "*.env", false }, { ".ssh", true }, { ".gnupg", true },
	{ ".aws", true }, { ".azure", true }, { ".kube", true },
	{ ".docker/config.json", true }, { ".dockercfg", true },
	{ ".config/gcloud", true }, { ".config/gh", true },
	{ ".config/op", true }, { ".config/rclone", true },
	{ ".config/google-chrome", true }, { ".config/chromium", true },
	{ ".mozilla", true }, { ".thunderbird", true },
	{ ".password-store", true }, { ".local/share/keyrings", true },
	{ ".netrc", true }, { ".pgpass", true }, { ".my.cnf", true },
	{ ".git-credentials", true }, { ".pypirc", true },
	{ ".npmrc", true }, { ".yarnrc.yml", true }, { ".htpasswd", true },
	{ ".vault-token", true }, { ".terraform.d", true },
	{ ".cargo/credentials*", true }, { ".gem/credentials", true },
	{ ".terraformrc", true }, { ".s3cfg", true }, { ".boto", true },
	{ ".m2/settings.xml", true }, { ".m2/settings-security.xml", true },
	{ ".gradle/gradle.properties", true },
	{ ".composer/auth.json", true }, { ".config/composer/auth.json", true },
	{ ".config/hub", true }, { ".config/glab-cli", true },
	{ ".config/github-copilot", true }, { ".claude.json", false },
	{ ".bash_history", true }, { ".zsh_history", true },
	{ ".python_history", true }, { ".psql_history", true },
	{ ".mysql_history", true }, { ".node_repl_history", true },
	{ "fish_history", true }, { ".claude/.credentials.json", true },
	{ ".codex/auth.json", true }, { ".gemini/oauth_creds.json", true },
	{ "id_rsa", true }, { "id_dsa", true }, { "id_ecdsa", true },
	{ "id_ed25519", true }, { "*.pem", false }, { "*.p12", false },
	{ "*.pfx", false }, { "*.jks", false }, { "*.keystore", false },
	{ "*.kdbx", false }, { "*.key", false }, { "credentials", false },
	{ "credentials.json", false }, { "secrets.json", false },
	{ "secrets.y*ml", false }, { "service-account*.json", false },
	/* Named one by one: `*-release` is none of them. */
	{ "etc/shadow", true }, { "etc/shadow-", true },
	{ "etc/gshadow", true }, { "etc/gshadow-", true },
	{ "etc/sudoers", true }, { "etc/sudoers.d", true },
	{ "etc/ssl/private", true }, { "etc/ssh/ssh_host_*_key", true },
	{ "etc/krb5.keytab", true }, { "run/secrets", true },
	{ "*.tfstate", false }, { "*.tfvars", false },
	{ "*.tfvars.json", false }, { "wallet.dat", true },
};

const size_t protect_n_secrets = ARRAY_LEN(protect_secrets);

const char *const protect_templates[] = {
	".env.example", ".env.sample", ".env.template", ".env.dist",
	".env.defaults", ".env.test.example", ".env.local.example",
	".env.production.example", ".env.development.example",
	".ssh/known_hosts",
};

const size_t protect_n_templates = ARRAY_LEN(protect_templates);

const char *
protect_run(size_t i, enum guard *ret)
{
	if (i >= ARRAY_LEN(protect_guarded))
		return NULL;
	*ret = protect_guarded[i].guard;
	return protect_guarded[i].run;
}

const char *
protect_secret_run(size_t i)
{
	if (i >= ARRAY_LEN(protect_secrets))
		return NULL;
	return protect_secrets[i].strong ? protect_secrets[i].run : "";
}
