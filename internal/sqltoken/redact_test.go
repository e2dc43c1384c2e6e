package sqltoken

import "testing"

func TestSecretsAreNotShown(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := Redact(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	f("SELECT 1", "SELECT 1")
	f("CREATE SOURCE s FROM KAFKA (user = 'u', password = 'a''b', x = 1)", "CREATE SOURCE s FROM KAFKA (user = 'u', password = '***', x = 1)")
	f(`FORMAT avro ("registry_password" = $$a$$, REGISTRY_TOKEN='t', password_file = '/f')`, `FORMAT avro ("registry_password" = '***', REGISTRY_TOKEN='***', password_file = '/f')`)
	f("INTO S3 (access_key_id = 'a', secret_access_key = 'b', secret_access_key_file = '/f', session_token='t')", "INTO S3 (access_key_id = 'a', secret_access_key = '***', secret_access_key_file = '/f', session_token='***')")
	f("password = 'unended", "***")
	f("(password = 'se'\n -- and\n'cr'\n'et', user = 'u'\n'v')", "(password = '***', user = 'u'\n'v')")
	f("token = E'se'\n'cret'", "token = '***'")
	f("SELECT 'password'", "SELECT 'password'")
	f("(password = hunter2, user = u)", "(password = '***', user = u)")
	f("CREATE SOURCE s FROM KAFKA (password = a-b-c, topic = 't')", "CREATE SOURCE s FROM KAFKA (password = '***', topic = 't')")
	f("(token = a(b, c) - 'd', x = y) AS SELECT a - b", "(token = '***', x = y) AS SELECT a - b")
	f("(x = y, token = a.b 'c') 'd'", "(x = y, token = '***') 'd'")
	f("SELECT a FROM t WHERE token = 'x' AND a > 1", "SELECT a FROM t WHERE token = '***' AND a > 1")
	f("(registry = 'https://user:pa''ss@host/a@b', x = 'http://host/x@y')", "(registry = 'https://***@host/a@b', x = 'http://host/x@y')")
}
