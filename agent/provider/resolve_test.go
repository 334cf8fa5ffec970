package provider

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func TestResolve(t *testing.T) { // A12
	const (
		openAI     = "https://api.openai.com/v1"
		openRouter = "https://openrouter.ai/api/v1"
	)
	for _, c := range []struct {
		name, env, flag       string
		url, model, key, from string
	}{
		{name: "OpenAI's key alone", env: "OPENAI_API_KEY=k-openai", url: openAI, model: "gpt-5.6-luna", key: "k-openai", from: "OPENAI_API_KEY"},
		{name: "OpenRouter's key alone", env: "OPENROUTER_API_KEY=k-router", url: openRouter, model: "openai/gpt-5.6-luna", key: "k-router", from: "OPENROUTER_API_KEY"},
		{name: "both, the default model", env: "OPENAI_API_KEY=a OPENROUTER_API_KEY=k-router", url: openRouter, model: "openai/gpt-5.6-luna", key: "k-router", from: "OPENROUTER_API_KEY"},
		{name: "both, another model", env: "OPENAI_API_KEY=k-openai OPENROUTER_API_KEY=b OPENAI_MODEL=o4-mini", url: openAI, model: "o4-mini", key: "k-openai", from: "OPENAI_API_KEY"},
		{name: "both, gpt-5 with a slash", env: "OPENAI_API_KEY=k-openai OPENROUTER_API_KEY=b OPENAI_MODEL=gpt-5/x", url: openAI, model: "gpt-5/x", key: "k-openai", from: "OPENAI_API_KEY"},
		{name: "the flag wins over the variable", env: "OPENROUTER_API_KEY=k-router OPENAI_MODEL=gpt-4o", flag: "claude-opus", url: openRouter, model: "anthropic/claude-opus-4.8", key: "k-router", from: "OPENROUTER_API_KEY"},
		{name: "gpt-* at OpenRouter", env: "OPENROUTER_API_KEY=k-router", flag: "gpt-4o", url: openRouter, model: "openai/gpt-4o", key: "k-router", from: "OPENROUTER_API_KEY"},
		{name: "a slash stays", env: "OPENROUTER_API_KEY=k-router", flag: "mistral/large", url: openRouter, model: "mistral/large", key: "k-router", from: "OPENROUTER_API_KEY"},
		{name: "anything else", env: "OPENROUTER_API_KEY=k-router", flag: "llama", url: openRouter, model: "openai/gpt-5.6-luna", key: "k-router", from: "OPENROUTER_API_KEY"},
		{name: "a base URL alone", env: "OPENAI_BASE_URL=http://localhost:11434/v1/ OPENAI_MODEL=qwen", url: "http://localhost:11434/v1", model: "qwen"},
		{name: "a base URL never gets OpenRouter's key", env: "OPENAI_BASE_URL=http://localhost:1/v1 OPENROUTER_API_KEY=k-router", url: "http://localhost:1/v1", model: "gpt-5.6-luna"},
		{name: "a base URL that is OpenRouter's", env: "OPENAI_BASE_URL=https://openrouter.ai/api/v1 OPENROUTER_API_KEY=k-router", url: openRouter, model: "openai/gpt-5.6-luna", key: "k-router", from: "OPENROUTER_API_KEY"},
		{name: "an empty variable is none", env: "OPENAI_API_KEY= OPENROUTER_API_KEY=k-router", flag: "gpt-4o", url: openRouter, model: "openai/gpt-4o", key: "k-router", from: "OPENROUTER_API_KEY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := map[string]string{}
			for _, pair := range strings.Fields(c.env) {
				name, value, _ := strings.Cut(pair, "=")
				env[name] = value
			}
			e, err := Resolve(lookupIn(env), c.flag)
			if err != nil {
				t.Fatal(err)
			}
			if e.BaseURL != c.url || e.Model != c.model || e.Key != c.key || e.KeyFrom != c.from {
				t.Errorf("got %s, %s, key %q from %s", e.BaseURL, e.Model, e.Key, e.KeyFrom)
			}
			if *e.Temperature != 0.3 {
				t.Errorf("temperature %v, want the default 0.3", *e.Temperature)
			}
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d"} {
				if text := fmt.Sprintf(verb, e); c.key != "" && strings.Contains(text, c.key) {
					t.Errorf("%s prints the key: %s", verb, text)
				}
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	if _, err := Resolve(lookupIn(nil), "gpt-4o"); !errors.Is(err, ErrNoKey) {
		t.Errorf("got %v, want ErrNoKey", err)
	}
	for _, c := range []struct{ name, value, want string }{
		{"OPENAI_TEMPERATURE", "hot", "OPENAI_TEMPERATURE: "},
		{"OPENAI_TEMPERATURE", "2.5", "OPENAI_TEMPERATURE: "},
		{"OPENAI_TEMPERATURE", "NaN", "OPENAI_TEMPERATURE: "},
		{"OPENAI_BASE_URL", "localhost:11434", "OPENAI_BASE_URL: "},
		{"OPENAI_BASE_URL", "http://user:hush@host/v1", "OPENAI_BASE_URL: holds a user name or password"},
		{"OPENAI_BASE_URL", "http://host/v1/chat/completions", "without /chat/completions"},
		{"OPENAI_API_KEY", "sk hush", "OPENAI_API_KEY: the key holds"},
	} {
		env := map[string]string{"OPENAI_API_KEY": "k", c.name: c.value}
		_, err := Resolve(lookupIn(env), "")
		var setting *SettingError
		if !errors.As(err, &setting) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: got %v, want %q", c.name, c.value, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: the secret is in %v", c.name, err)
		}
	}
	zero, err := Resolve(lookupIn(map[string]string{"OPENAI_API_KEY": "k", "OPENAI_TEMPERATURE": "0"}), "")
	if err != nil || *zero.Temperature != 0 {
		t.Errorf("temperature 0: got %v, %v", zero.Temperature, err)
	}
}
