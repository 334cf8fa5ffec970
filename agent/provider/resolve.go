package provider

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

const (
	defaultModel       = "gpt-5.6-luna"
	defaultTemperature = 0.3

	openAIAddress     = "https://api.openai.com/v1"
	openRouterAddress = "https://openrouter.ai/api/v1"

	openRouterHost    = "openrouter.ai"
	openRouterDefault = "openai/gpt-5.6-luna"
	openRouterClaude  = "anthropic/claude-opus-4.8"
)

// The variables that Resolve reads.
const (
	varOpenAIKey      = "OPENAI_API_KEY"
	varBaseURL        = "OPENAI_BASE_URL"
	varModel          = "OPENAI_MODEL"
	varTemperature    = "OPENAI_TEMPERATURE"
	varOpenRouterKey  = "OPENROUTER_API_KEY"
	varOpenRouterURL  = "OPENROUTER_BASE_URL"
	flagModel         = "--model"
	completionsSuffix = "/chat/completions"
)

// ErrNoKey reports that neither a key nor an address of one's own is set.
var ErrNoKey = errors.New(`no API key: set OPENAI_API_KEY or OPENROUTER_API_KEY, in the environment or in .env.
Two ways need no key:
  --demo runs the example with a scripted model;
  OPENAI_BASE_URL set to the address of a local server, with its model in OPENAI_MODEL:
    Ollama     http://localhost:11434/v1
    LM Studio  http://localhost:1234/v1
    llama.cpp  http://localhost:8080/v1
    vLLM       http://localhost:8000/v1`)

// A SettingError reports a variable or flag whose value cannot be used. It
// does not hold the value of a key.
type SettingError struct {
	Name    string // the variable or flag
	Problem string // what is wrong with it, and what is wanted
}

func (e *SettingError) Error() string {
	return e.Name + ": " + e.Problem
}

// Resolve chooses the endpoint from the variables that lookup gives and from
// the value of --model, "" for none (A12). An empty variable counts as unset.
// It returns ErrNoKey if there is neither a key nor an address to go to without
// one, and otherwise errors that are, or join, *SettingError.
func Resolve(lookup func(string) (string, bool), modelFlag string) (Endpoint, error) {
	s := readSettings(lookup, modelFlag)
	if err := s.check(); err != nil {
		return Endpoint{}, err
	}
	e := Endpoint{Asked: s.model, Model: s.model, Temperature: &s.temperature}
	switch {
	case s.baseURL != "":
		e.BaseURL, e.BaseURLFrom = s.baseURL, varBaseURL
	case s.wantsOpenRouter():
		e.BaseURL = openRouterAddress
		if s.openRouterURL != "" {
			e.BaseURL, e.BaseURLFrom = s.openRouterURL, varOpenRouterURL
		}
	case s.openAIKey != "":
		e.BaseURL = openAIAddress
	default:
		return Endpoint{}, ErrNoKey
	}
	openRouter := s.baseURL == "" && s.wantsOpenRouter() || isOpenRouter(e.BaseURL)
	if openRouter {
		e.Model = openRouterModel(s.model)
	}
	switch {
	case openRouter && s.openRouterKey != "":
		e.Key, e.KeyFrom = s.openRouterKey, varOpenRouterKey
	case s.openAIKey != "":
		e.Key, e.KeyFrom = s.openAIKey, varOpenAIKey
	}
	return e, nil
}

// settings are the values that Resolve decides on, trimmed.
type settings struct {
	openAIKey, openRouterKey string
	baseURL, openRouterURL   string
	model, modelFrom         string
	temperatureText          string
	temperature              float64
}

func readSettings(lookup func(string) (string, bool), modelFlag string) *settings {
	get := func(name string) string {
		value, _ := lookup(name)
		return strings.TrimSpace(value)
	}
	s := &settings{
		openAIKey:       get(varOpenAIKey),
		openRouterKey:   get(varOpenRouterKey),
		baseURL:         strings.TrimRight(get(varBaseURL), "/"),
		openRouterURL:   strings.TrimRight(get(varOpenRouterURL), "/"),
		model:           strings.TrimSpace(modelFlag),
		modelFrom:       flagModel,
		temperatureText: get(varTemperature),
	}
	if s.model == "" {
		s.model, s.modelFrom = get(varModel), varModel
	}
	if s.model == "" {
		s.model = defaultModel
	}
	return s
}

// wantsOpenRouter is the rule for when no address is given.
func (s *settings) wantsOpenRouter() bool {
	if s.openRouterKey == "" {
		return false
	}
	return s.openAIKey == "" || strings.HasPrefix(s.model, "gpt-5") && !strings.Contains(s.model, "/")
}

// check reports every bad value at once, and reads the temperature.
func (s *settings) check() error {
	var errs []error
	bad := func(name, problem string) {
		errs = append(errs, &SettingError{Name: name, Problem: problem})
	}
	for _, key := range []struct{ name, value string }{{varOpenAIKey, s.openAIKey}, {varOpenRouterKey, s.openRouterKey}} {
		if !isHeaderText(key.value) {
			bad(key.name, "the key holds a line end, a space or another character that no key has; copy it again")
		}
	}
	for _, address := range []struct{ name, value string }{{varBaseURL, s.baseURL}, {varOpenRouterURL, s.openRouterURL}} {
		if problem := addressProblem(address.value); address.value != "" && problem != "" {
			bad(address.name, problem)
		}
	}
	if strings.ContainsFunc(s.model, unicode.IsControl) {
		bad(s.modelFrom, fmt.Sprintf("the model's name %q holds a control character", s.model))
	}
	temperature, problem := parseTemperature(s.temperatureText)
	if problem != "" {
		bad(varTemperature, problem)
	}
	s.temperature = temperature
	return errors.Join(errs...)
}

func parseTemperature(text string) (value float64, problem string) {
	if text == "" {
		return defaultTemperature, ""
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || temperatureProblem(value) != "" {
		return 0, fmt.Sprintf("got %q, want a number from 0 to 2, such as 0.3", text)
	}
	return value, ""
}

// temperatureProblem says why a temperature cannot be sent, or "".
func temperatureProblem(value float64) string {
	if math.IsNaN(value) || value < 0 || value > 2 {
		return fmt.Sprintf("got %v, want a number from 0 to 2", value)
	}
	return ""
}

// addressProblem says why an address cannot serve as a base URL, or "". It
// does not repeat an address that may hold a password.
func addressProblem(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "not a URL; want one such as http://localhost:11434/v1"
	case u.User != nil:
		return "holds a user name or password; give the address alone, and the key in its own variable"
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Sprintf("got %q, want a URL that begins with http:// or https://, such as http://localhost:11434/v1", shownURL(address))
	case u.Hostname() == "":
		return fmt.Sprintf("got %q, which names no host; want a URL such as http://localhost:11434/v1", shownURL(address))
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return fmt.Sprintf("holds a query or fragment after %s; give the address without it", shownURL(address))
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), completionsSuffix):
		return fmt.Sprintf("got %q; give the address without %s", shownURL(address), completionsSuffix)
	}
	return ""
}

// isHeaderText reports whether a key can stand in a header: visible ASCII.
func isHeaderText(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' })
}

// isOpenRouter reports whether an address is OpenRouter's own.
func isOpenRouter(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	return host == openRouterHost || strings.HasSuffix(host, "."+openRouterHost)
}

// openRouterModel is the name that a model has at OpenRouter (A12).
func openRouterModel(name string) string {
	switch {
	case strings.Contains(name, "/"):
		return name
	case strings.HasPrefix(name, "gpt-"):
		return "openai/" + name
	case strings.HasPrefix(name, "claude-"):
		return openRouterClaude
	default:
		return openRouterDefault
	}
}
