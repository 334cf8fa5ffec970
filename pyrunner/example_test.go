package pyrunner_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/staged-agent/staged-agent/pyrunner"
)

// The distribution that a script imports is found and installed; what the
// script wrote comes back.
func Example() {
	r, err := pyrunner.New(pyrunner.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	result, err := r.Run(context.Background(), pyrunner.Job{Source: "import yaml\nprint(yaml.safe_load('[1, 2]'))\n"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(result.Stdout)
	fmt.Println(result.Dependencies[0].Spec)
	// Output:
	// [1, 2]
	// pyyaml
}

// Each kind of failure is a type of its own.
func ExampleRunner_Run_errors() {
	r, err := pyrunner.New(pyrunner.Config{})
	if errors.Is(err, pyrunner.ErrNoUV) {
		log.Fatal(err) // says how to install it
	}
	defer r.Close()
	for _, source := range []string{
		"def f(:\n    pass\n",
		"raise ValueError('of the script')\n",
		"import time\ntime.sleep(60)\n",
		"import time_machine_of_nobody\n",
	} {
		_, err := r.Run(context.Background(), pyrunner.Job{Source: source, Timeout: 2 * time.Second})
		var (
			syntax     *pyrunner.SyntaxError
			script     *pyrunner.ScriptError
			timeout    *pyrunner.TimeoutError
			dependency *pyrunner.DependencyError
		)
		switch {
		case errors.As(err, &syntax):
			fmt.Printf("line %d: %s\n", syntax.Line, syntax.Message)
		case errors.As(err, &script):
			fmt.Printf("exit status %d\n", script.ExitCode)
			os.RemoveAll(filepath.Dir(script.Script)) // kept for whoever wants to mend it
		case errors.As(err, &timeout):
			fmt.Printf("after %v\n", timeout.After)
			os.RemoveAll(filepath.Dir(timeout.Script))
		case errors.As(err, &dependency):
			fmt.Printf("missing: %v\n", dependency.Names)
			os.RemoveAll(filepath.Dir(dependency.Script))
		}
	}
	// Output:
	// line 1: invalid syntax
	// exit status 1
	// after 2s
	// missing: [time_machine_of_nobody]
}

// Deps reads a script and runs nothing.
func ExampleRunner_Deps() {
	r, err := pyrunner.New(pyrunner.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	found, err := r.Deps(context.Background(), pyrunner.Job{Source: "import os\nimport requests, yaml\n"})
	if err != nil {
		log.Fatal(err)
	}
	for _, dep := range found {
		fmt.Printf("%s: %s\n", dep.Spec, dep.Why)
	}
	// Output:
	// pyyaml: import yaml, line 2
	// requests: import requests, line 2
}

// Check compiles, and neither runs anything nor makes a file.
func ExampleRunner_Check() {
	r, err := pyrunner.New(pyrunner.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.Check(context.Background(), []byte("x = 1\nreturn x\n"), "job.py"))
	// Output:
	// syntax error in job.py, line 2, column 1: 'return' outside function
	//     return x
}
