"""Which parts of a text are masked as credentials, and which are not (H7)."""

from __future__ import annotations

import re

import pytest

from sessiond.model.redaction import redact, texts

# Made of parts, so that no tool that looks for leaked credentials takes these for some.
ALNUM = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v2W3x4Y5z6"
HEX = "0123456789abcdef" * 4
UUID = "123e4567-e89b-12d3-a456-426614174000"
KEY_LINES = "MIIEowIBAAKCAQEA1234567890\nabcdefghijklmnopqrstuvwxyz0=\n"
BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
JWT = f"eyJ{ALNUM[:20]}.eyJ{ALNUM[:24]}.{ALNUM[:30]}"

# Kind → texts in which «» enclose what is masked under that name.
MASKED = {
    "aws access key id": [f"«AKIA{'B2C3' * 4}»", f"id «ASIA{'B2C3' * 4}», region eu"],
    "github token": [
        *[f"use «gh{each}_{ALNUM[:36]}» now" for each in "pousr"],
        f"«github_pat_{ALNUM[:22]}_{ALNUM}»",
        f'"line\\n«ghp_{ALNUM[:36]}»\\nnext"',
        f"GITHUB_TOKEN=«ghp_{ALNUM[:36]}»",
        f"https://«ghp_{ALNUM[:36]}»@github.com/a/b.git",
    ],
    "gitlab token": [f"«glpat-{ALNUM[:20]}»", f"«glpat--_{ALNUM[:18]}»", f"«glrt-{ALNUM[:20]}»"],
    "slack token": [f"«xoxb-1234567890-{ALNUM[:24]}»", f"«xapp-1-A0B1C2D3-1234567890-{HEX[:32]}»"],
    "openai key": [f"«sk-{ALNUM[:48]}»", f"«sk-proj-{ALNUM[:20]}_-{ALNUM[:20]}»"],
    "anthropic key": [f"key «sk-ant-api03-{ALNUM}-AA».", f"x-api-key: «sk-ant-api03-{ALNUM}»"],
    "google key": [f"?key=«AIza{ALNUM[:35]}»&q=1"],
    "google token": [f"«ya29.{ALNUM}»"],
    "stripe key": [f"«sk_live_{ALNUM[:24]}»", f"«rk_live_{ALNUM[:24]}»"],
    "npm token": [f"«npm_{ALNUM[:36]}»"],
    "pypi token": [f"«pypi-AgEIcHlwaS5vcmc{ALNUM}»"],
    "hugging face token": [f"«hf_{ALNUM[:34]}»"],
    "twilio key": [f"«SK{HEX[:32]}»"],
    "sendgrid key": [f"«SG.{ALNUM[:22]}.{ALNUM[:43]}»"],
    "telegram token": [f"https://api.telegram.org/bot123456789«:AA{ALNUM[:33]}»/getMe"],
    "discord token": [f"«M{ALNUM[:23]}.{ALNUM[:6]}.{ALNUM[:27]}»"],
    "webhook secret": [f"https://hooks.slack.com/services/«T{HEX[:8]}/B{HEX[:8]}/{ALNUM[:24]}»"],
    "signature": [f"https://a.blob.core.windows.net/x?sv=1&sig=«{ALNUM[:43]}%3D»&se=2"],
    "jwt": [f"«{JWT}»", f"a «{JWT}».", f"run_token: «{JWT}»"],
    "lease token": [f"{UUID}.3.«{ALNUM[:24]}»", f"run.{UUID}.12.«{HEX}»"],
    "private key": [
        f"a\n«{BEGIN}\n{KEY_LINES}{END}»\nb",
        f'"«{BEGIN}\\n{ALNUM}\\n{ALNUM}=\\n{END}»\\n"',
        f"«{BEGIN}\n{KEY_LINES[:40]}»",
        f"«{BEGIN}\\n{ALNUM}\\n{ALNUM[:10]}»",
        f"«{BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{HEX[:32]}\n\n{ALNUM}»",
        f"private_key: '«{BEGIN}\n{KEY_LINES}{END}»'",
    ],
    "password": [
        *[
            "password=«hunter2»",
            "password: «hunter2»",
            "Password: «swordfish»\n",
            "DB_PASSWORD=«swordfish»",
            "pwd=«1234»",
        ],
        *["export PGPASSWORD='«sword fish 12345a»'", 'password = "«swordfish»"', "'password' => '«swordfish»',"],
        *["password: «hunter2», user: bob", "(password=«hunter2»)", "Server=x;Password=«hun,ter2»;User Id=sa"],
        *[
            "/login?password=«hunter2»&user=bob",
            "PASSWORD=«a,b;c&d!»",
            "password: «hunter2».",
            "**Password:** «hunter2»",
        ],
        *['{"password": "«swordfish»", "a": 1}', '{\\"password\\": \\"«swordfish»\\", \\"a\\": 1}'],
        *['password: str = "«hunter2»"', "<password>«swordfish»</password>", "| Password | «hunter2secret» |"],
        *["mysql --password «hunter2» db", "tool --db-password '«swordfish»' -v", "curl -u bob:«hunter2» https://a"],
        *["PASSWORD=«hunter2»\\nUSER=bob", 'config["password"] = "«hunter2»"', "password='«it\\'s1»'"],
        *["postgres://user:«pw»@host/db", "redis://:«p@ss»@host:1", "sshpass -p «hunter2» ssh a"],
    ],
    "pw": ["pw=«a1B2c3»"],
    "secret": ['"client_secret": "«swordfish»"', "client_secret=«abc123»&x=1", "SECRET='«abcd»'"],
    "key": [
        *[
            "API_KEY=«abcd»",
            "export API_KEY=«abcd»\n",
            "apiKey: '«swordfish»'",
            "X-Api-Key: «abc123»",
            "api key: «abc123»",
        ],
        *[f"aws_secret_access_key = «{ALNUM[:38]}/+»", "SECRET_KEY_BASE=«abc123»", "AccountKey=«abc123==»;Endpoint=x"],
    ],
    "token": [
        *[
            "token: «abc123def»",
            '"access_token":"«abc123def»"',
            "lease_token: «abcDEF123_-xyz»",
            "?token=«abc123def»&a=b",
        ],
        *[
            "--token «abc123def» run",
            "gh --auth-token=«abc123def»",
            "BOT_TOKEN=«abcd»",
            "//npm.example/:_authToken=«abc123def»",
        ],
        *["X-Auth-Token: «abc123def»"],
    ],
    "bearer token": [
        *[
            "Authorization: Bearer «swordfish»",
            'authorization: "Bearer «abc.def-1»"',
            "use Bearer «abcdefghijklmno1» there",
        ],
        *["-H 'Authorization: Bearer «abc123»' -v", '{"Authorization": "Bearer «abc123»"}'],
    ],
    "basic credentials": ["Authorization: Basic «dXNlcjpwdw==»", "Proxy-Authorization: Basic «dXNlcjpwdw==»\r\n"],
    "digest credentials": ['-H \'Authorization: Digest «username="bob", response="ab"»\' x'],
    "cookie": [
        *[
            "Cookie: «sid=abc; theme=dark»\nA: b",
            "Set-Cookie: sid=«abc1»; Path=/; HttpOnly",
            "-H 'Cookie: «sid=abc1»' x",
        ],
    ],
    "credentials": [f"Authorization: «{ALNUM[:20]}»"],
}

UNCHANGED = [
    *["", "a", "the password is required", "Password: must contain 8 characters", "password: required", "token: none"],
    *[
        "password: <your password>",
        'password: "<your password>"',
        "password: ${VAR}",
        "PASSWORD=$VAR",
        "TOKEN=$(cat f)",
    ],
    *["password: {{ vault }}", "password = %s", "PASSWORD=%PASSWORD%", "password: ********", "API_KEY=xxxxxxxx"],
    *["password=", "password: ''", 'password=""', "password:\n", "API_KEY=your-api-key", "token: [redacted: token]"],
    *["token = get_token()", "password=self.password", "token: str", "password: SecretStr", "token: LeaseToken"],
    *["password = os.environ['PASSWORD']", "token = process.env.TOKEN", "api_key=api_key", "password=user_password"],
    *[
        "max_tokens: 4096",
        "tokens: 12.3k (in 10.0k / out 2.3k)",
        "next_page_token: abc123def456",
        "pageToken=abc123def",
    ],
    *['"token": "hello"', "unexpected token: identifier", "PublicKeyToken=b77a5c561934e089", "Token::new()"],
    *["PWD=/home/bob", "private_key: ~/.ssh/id_rsa", "secretName: db-secret", "secret: db-backup", "key: value1234"],
    *["primary_key=user_id", "sort key: a1b2c3d4", 'type="password"', "--token to sign in", "pass the --token flag"],
    *["Authorization: Bearer $TOKEN", 'f"Bearer {token}"', "Bearer <token>", "bearer authentication", "Cookie: yes"],
    *[
        "Authorization: required",
        "https://host:8080/a@b",
        "https://${U}:${P}@host",
        "ssh://git@host:22/x",
        "mailto:a@b.c",
    ],
    *["docker run -u 1000:1000 x", "sk-learn", "sk-toggleable__label-arrow fitted", "a_long_snake_case_name_of_a_test"],
    *[UUID, f"token {UUID}", HEX[:40], f"commit {HEX[:40]}", f"sha256:{HEX}", f"{UUID}.3", "agent:main:subagent:1"],
    *[f"{BEGIN} is how it begins", f"`{BEGIN}` and `{END}`", f"-----BEGIN CERTIFICATE-----\n{KEY_LINES}"],
    *["data:image/png;base64," + ALNUM * 20 + "/AKIA" + "B2C3" * 4 + "+AIza" + ALNUM, "eyJhbGciOi", "a.b.c", "v1.2.3"],
]
CASES = [(kind, text) for kind, some in MASKED.items() for text in some]


@pytest.mark.parametrize(("kind", "marked"), CASES)
def test_a_credential_is_masked_by_its_kind_and_nothing_else_changes(kind: str, marked: str) -> None:  # H7
    text = marked.replace("«", "").replace("»", "")

    assert redact(text) == re.sub("«[^»]*»", f"[redacted: {kind}]", marked)


@pytest.mark.parametrize("text", UNCHANGED)
def test_what_is_no_credential_stays_the_same_object(text: str) -> None:  # H7
    assert redact(text) is text


@pytest.mark.parametrize("text", [f"«{text}»" for text in UNCHANGED if text])
def test_it_also_stays_between_other_signs(text: str) -> None:  # H7
    assert redact(text) is text


def test_every_credential_of_a_text_is_masked() -> None:  # H7
    text = f"AKIA{'B2C3' * 4},{'aB3/' * 10}\npassword: hunter2\nurl: https://a:bcd@host, Bearer {JWT}"

    assert redact(text) == (
        "[redacted: aws access key id],[redacted: aws secret key]\npassword: [redacted: password]\n"
        "url: https://a:[redacted: password]@host, Bearer [redacted: jwt]"
    )


def test_a_mask_in_a_text_is_kept_or_goes_into_a_larger_one() -> None:  # H7
    assert (
        redact("password=[redacted: password] pwd=hunter2") == "password=[redacted: password] pwd=[redacted: password]"
    )
    assert redact('password: "ab12cd34 [redacted: jwt] x"') == 'password: "[redacted: password]"'


def test_letters_that_grow_in_lower_case_do_not_move_the_mask() -> None:  # H7
    assert redact("İİİ password=hunter2 İ") == "İİİ password=[redacted: password] İ"


def test_lone_surrogates_are_text_like_any_other() -> None:  # H7
    assert redact("\ud800 password=hunter2\udfff") == "\ud800 password=[redacted: password]"


def test_a_text_that_needs_ever_more_looks_is_hidden_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:  # H7
    monkeypatch.setattr(texts, "_MAX_LOOKS", 1)

    assert redact("a password=hunter2") == "[redacted: credentials]"
