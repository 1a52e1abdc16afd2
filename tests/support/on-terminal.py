"""Runs a command on a terminal of its own: on-terminal.py ANSWERS COMMAND… Each answer is typed once its prompt is there. Prints all that the
terminal showed, and ends with the code of the command."""
import json, os, pty, re, select, signal, sys, time

answers = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b""
answered = 0  # How much was shown before the last answer.
deadline = time.time() + 60
while time.time() < deadline:
    if select.select([fd], [], [], 0.2)[0]:
        try:
            chunk = os.read(fd, 4096)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    # After a prompt, the terminal may be told where the cursor is.
    if answers and re.sub(rb"\x1b\[[0-9;]*[A-Za-z]", b"", shown[answered:]).endswith(answers[0][0].encode()):
        answered = len(shown)
        os.write(fd, answers.pop(0)[1].encode())
else:
    os.kill(pid, signal.SIGKILL)
sys.stdout.write(shown.decode())
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
