# Runs a command in a pseudo terminal and prints what it writes there.
# Arguments: columns, a text to wait for before Ctrl-C is typed (empty: never), the command.
import fcntl, os, pty, select, signal, struct, sys, termios, time

columns, awaited, command = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3:]
child, terminal = pty.fork()
if child == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a build in the background ignores it
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execvp(command[0], command)

written, typed, end = b"", False, time.monotonic() + 60
while time.monotonic() < end:
    if not select.select([terminal], [], [], 0.1)[0]:
        continue
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # Linux says so when the last writer is gone
        break
    if not piece:
        break
    written += piece
    if awaited and not typed and awaited in written:
        os.write(terminal, b"\x03")
        typed = True
else:
    os.kill(child, signal.SIGKILL)
    print("the command did not end", file=sys.stderr)
sys.stdout.buffer.write(written)
sys.stdout.flush()
os.waitpid(child, 0)
