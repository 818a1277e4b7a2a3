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
	{ "rust-toolchain.toml", ASK }, { "rust-toolchain", ASK },
	{ ".tool-versions", ASK },
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
	/* Of one tool each: only what is named for certain. */
	{ ".local/share/opencode", false },
	{ ".qwen/oauth_creds.json", false },
	{ ".config/cursor/auth.json", false }, { ".vercel", false },
	{ ".config/netlify", false }, { ".config/configstore", false },
	{ ".fly", false }, { ".config/doctl", false },
	{ ".config/hcloud", false }, { ".config/stripe", false },
	{ ".config/heroku", false }, { ".kaggle", false },
	{ ".config/kaggle", false }, { ".huggingface", false },
	{ ".cache/huggingface/token", false }, { ".databrickscfg", false },
	{ ".snowsql", false }, { ".rclone.conf", false },
	{ ".msmtprc", false }, { ".mbsyncrc", false }, { ".authinfo", false },
	{ ".authinfo.gpg", false }, { "sops/age", false },
	{ ".config/age", false }, { ".ngrok2", false },
	{ ".config/ngrok", false }, { ".config/pypoetry/auth.toml", false },
	{ ".config/containers/auth.json", false }, { ".config/pulumi", false },
	{ ".pulumi", false }, { ".subversion/auth", false },
	{ ".sentryclirc", false }, { ".wgetrc", false }, { ".purple", false },
	{ ".config/Slack", false }, { ".config/discord", false },
	{ ".config/BraveSoftware", false },
	{ ".config/microsoft-edge", false }, { ".config/keepassxc", false },
	{ ".config/1Password", false }, { ".electrum", false },
	{ ".ethereum/keystore", false }, { ".config/solana", false },
	{ ".local/share/atuin", false }, { ".irb_history", false },
	{ ".sqlite_history", false }, { ".rediscli_history", false },
	{ "id_ecdsa_sk", false }, { "id_ed25519_sk", false },
	{ "*.ppk", false }, { "client_secret*.json", false },
	{ ".dev.vars", false }, { ".vault_pass*", false },
	{ ".ansible/vault_pass*", false },
	{ ".streamlit/secrets.toml", false }, { "*.tfstate.backup", false },
	{ "etc/wireguard", false }, { "etc/openvpn", false },
	{ "etc/NetworkManager/system-connections", false },
	{ "etc/security/opasswd", false }, { "etc/ppp/chap-secrets", false },
	{ "etc/mysql/debian.cnf", false },
	{ "etc/kubernetes/admin.conf", false },
	{ "kubeconfig", false }, { "kubeconfig.y*ml", false },
	{ "etc/rancher/k3s/k3s.yaml", false },
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
