"""Runs a command on a terminal of its own: on-terminal.py ANSWERS COMMAND… Each answer is typed once its prompt is there. Prints all that the
terminal showed, and ends with the code of the command."""
import json, os, pty, select, signal, sys, time

answers = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b""
seen = 0
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
    # A terminal may move its cursor behind the prompt.
    if answers and answers[0][0].encode() in shown[seen:]:
        seen = len(shown)
        os.write(fd, answers.pop(0)[1].encode())
else:
    os.kill(pid, signal.SIGKILL)
sys.stdout.write(shown.decode())
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
