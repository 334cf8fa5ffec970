package pyrunner

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A launcher starts programs, each in a job object that ends with this process:
// Windows closes its last handle then, and with it every process of the job.
type launcher struct{}

func newLauncher(string) *launcher { return &launcher{} }

func (*launcher) prepare() {}

func (*launcher) close() {}

func (*launcher) run(ctx context.Context, cmd command) (status, error) {
	job, err := newJob()
	if err != nil {
		return status{}, err
	}
	defer windows.CloseHandle(job)
	stdout, outEnd, err := newOutput()
	if err != nil {
		return status{}, err
	}
	stderr, errEnd, err := newOutput()
	if err != nil {
		return status{}, err
	}
	c := &exec.Cmd{Path: cmd.Argv[0], Args: cmd.Argv, Dir: cmd.Dir, Env: cmd.Env, Stdout: outEnd, Stderr: errEnd}
	// Suspended until it is in the job, or it could start a child outside of it.
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP}
	stdout.copyTo(cmd.Stdout)
	stderr.copyTo(cmd.Stderr)
	err = startInJob(c, job)
	outEnd.Close()
	errEnd.Close()
	st, err := waitInJob(ctx, c, job, err)
	limit := time.After(drainTime)
	stdout.finish(limit)
	stderr.finish(limit)
	return st, err
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("making a job object: %w", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, fmt.Errorf("limiting a job object: %w", err)
	}
	return job, nil
}

func startInJob(c *exec.Cmd, job windows.Handle) error {
	if err := c.Start(); err != nil {
		return fmt.Errorf("starting uv: %w", err)
	}
	pid := uint32(c.Process.Pid)
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err == nil {
		err = windows.AssignProcessToJobObject(job, process)
		windows.CloseHandle(process)
	}
	if err == nil {
		err = resume(pid)
	}
	if err != nil {
		_ = c.Process.Kill()
		_ = c.Wait()
		return fmt.Errorf("starting uv in a job object: %w", err)
	}
	return nil
}

// resume lets the only thread of a suspended process go.
func resume(pid uint32) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(threads)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return err
	}
	return err
}

// waitInJob waits for the program, and ends whatever it left in the job.
func waitInJob(ctx context.Context, c *exec.Cmd, job windows.Handle, started error) (status, error) {
	if started != nil {
		return status{}, started
	}
	stop := context.AfterFunc(ctx, func() { _ = windows.TerminateJobObject(job, 1) })
	_ = c.Wait()
	if !stop() {
		return status{}, errKilled
	}
	_ = windows.TerminateJobObject(job, 1)
	return status{Code: c.ProcessState.ExitCode()}, nil
}
