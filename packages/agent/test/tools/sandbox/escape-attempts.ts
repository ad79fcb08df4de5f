// Ways out of the sandbox, each as a script for `sh`. One that gets out prints ESCAPED; where it is harmless, the same script is also run
// without a sandbox, and has to get out there: an attempt that can't succeed anywhere proves nothing.

export interface Attempt {
  readonly name: string;
  /** Of `$NAME` only what `Stage` has. */
  readonly script: string;
  /** Whether it gets out without a sandbox: always, only for root, or it is not tried since it would do harm or depends on the machine. */
  readonly outside: "escapes" | "escapes for root" | "untried";
  readonly needs?: "perl" | "unshare";
}

const perl = (code: string): string => `perl -MSocket -MErrno -e '${code}'`;
/** Refused by the filter, and not for another reason. */
const refusedCall = (call: string): string => perl(`$r = syscall(${call}); print "ESCAPED" unless $r == -1 && $!{EPERM}`);
const [keyctl, ptrace, ioUringSetup] = process.arch === "arm64" ? [219, 117, 425] : [250, 101, 425];

export const attempts: readonly Attempt[] = [
  { name: "finds anything in /run", script: '[ -n "$(ls -A /run)" ] && echo ESCAPED', outside: "untried" },
  { name: "writes beside the root", script: 'echo x > "$OUTSIDE/new" && echo ESCAPED', outside: "escapes" },
  { name: "reads beside the root", script: "cat ../outside/canary.txt && echo ESCAPED", outside: "escapes" },
  { name: "writes into a system folder", script: "touch /usr/hawser-escape && echo ESCAPED", outside: "untried" },
  { name: "writes to the top", script: "touch /hawser-escape && echo ESCAPED", outside: "untried" },
  { name: "reads a key of the home folder", script: 'grep -q secret "$HOME/.ssh/id" && echo ESCAPED', outside: "escapes" },
  { name: "reads another conversation, whose folder lies in the root", script: "grep -rq secret data && echo ESCAPED", outside: "escapes" },
  { name: "changes what the folder brings along", script: "echo x >> .hawser/agent.json && echo ESCAPED", outside: "escapes" },
  { name: "puts another file in its place", script: "echo x > x; mv -f x .hawser/agent.json && echo ESCAPED", outside: "escapes" },
  { name: "moves the folder of settings away", script: "mv .hawser .moved && echo ESCAPED && mv .moved .hawser", outside: "escapes" },
  { name: "takes the settings' mount away", script: "umount .hawser && echo ESCAPED", outside: "untried" },
  { name: "follows a link out", script: 'ln -sf "$OUTSIDE" way; echo x > way/by-link && echo ESCAPED', outside: "escapes" },
  { name: "makes a hard link of a file outside", script: 'ln -f "$OUTSIDE/canary.txt" hard && echo ESCAPED', outside: "escapes" },
  { name: "goes through /proc/self/root", script: 'cat "/proc/self/root$OUTSIDE/canary.txt" && echo ESCAPED', outside: "escapes" },
  { name: "goes through the first process", script: 'cat "/proc/1/root$OUTSIDE/canary.txt" && echo ESCAPED', outside: "untried" },
  { name: "reads another process's environment", script: 'cat "/proc/$PID/environ" && echo ESCAPED', outside: "escapes" },
  { name: "sees another process", script: '[ -d "/proc/$PID" ] && echo ESCAPED', outside: "escapes" },
  { name: "signals another process", script: 'kill -0 "$PID" && echo ESCAPED', outside: "escapes" },
  { name: "traces a process", script: refusedCall(`${ptrace}, 0, 0, 0, 0`), outside: "escapes", needs: "perl" },
  {
    name: "connects to a socket in /tmp",
    script: perl('socket(S, AF_UNIX, SOCK_STREAM, 0); print "ESCAPED" if connect(S, pack_sockaddr_un($ENV{SOCKET}))'),
    outside: "escapes",
    needs: "perl",
  },
  {
    name: "connects to an abstract socket",
    script: perl('socket(S, AF_UNIX, SOCK_STREAM, 0); print "ESCAPED" if connect(S, pack("S a*", AF_UNIX, "\\0$ENV{ABSTRACT}"))'),
    outside: "escapes",
    needs: "perl",
  },
  { name: "reaches the system's D-Bus", script: "[ -e /run/dbus/system_bus_socket ] && echo ESCAPED", outside: "untried" },
  { name: "reaches a container engine", script: "[ -e /var/run/docker.sock ] && echo ESCAPED", outside: "untried" },
  {
    name: "connects over the network",
    script: perl('socket(S, PF_INET, SOCK_STREAM, 0); print "ESCAPED" if connect(S, sockaddr_in($ENV{PORT}, inet_aton("127.0.0.1")))'),
    outside: "escapes",
    needs: "perl",
  },
  { name: "finds a network besides its own", script: "[ $(grep -c : /proc/net/dev) -gt 1 ] && echo ESCAPED", outside: "untried" },
  { name: "gains rights by a setuid program", script: "grep -q 'NoNewPrivs:.0' /proc/self/status && echo ESCAPED", outside: "escapes" },
  { name: "has capabilities", script: "grep -q 'CapPrm:.*[1-9a-f]' /proc/self/status && echo ESCAPED", outside: "escapes for root" },
  { name: "makes a user namespace", script: "unshare -Ur true && echo ESCAPED", outside: "untried", needs: "unshare" },
  { name: "mounts something", script: "mount -t tmpfs none /mnt && echo ESCAPED", outside: "untried" },
  { name: "makes a system folder writable", script: "mount -o remount,rw /usr && echo ESCAPED", outside: "untried" },
  { name: "changes the top", script: "chroot / true && echo ESCAPED", outside: "escapes for root" },
  { name: "makes a device", script: "mknod null-device c 1 3 && echo ESCAPED", outside: "escapes for root" },
  { name: "finds a disk", script: "ls /dev | grep -E '^(sd|vd|nvme|mem|kmsg|kvm)' && echo ESCAPED", outside: "untried" },
  { name: "finds the system's devices", script: "[ -d /sys/class ] && echo ESCAPED", outside: "escapes" },
  { name: "reads the keys of the session", script: refusedCall(`${keyctl}, 0, -3, 1`), outside: "escapes", needs: "perl" },
  { name: "opens a way past the filter", script: refusedCall(`${ioUringSetup}, 1, 0`), outside: "escapes", needs: "perl" },
  { name: "reads shared memory", script: 'cat "/dev/shm/$SHARED" && echo ESCAPED', outside: "escapes" },
  {
    name: "attaches shared memory of System V",
    script: perl('print "ESCAPED" if defined shmget($ENV{SHMKEY}, 16, 0)'),
    outside: "escapes",
    needs: "perl",
  },
  {
    name: "types into a terminal",
    script: perl('$c = "x"; ioctl(STDIN, 0x5412, $c); print "ESCAPED" unless $!{EPERM}'),
    outside: "escapes",
    needs: "perl",
  },
  { name: "has a terminal", script: "(exec 3<>/dev/tty) 2> /dev/null && echo ESCAPED", outside: "untried" },
  { name: "changes a setting of the kernel", script: "(exec 3>>/proc/sys/kernel/domainname) && echo ESCAPED", outside: "escapes for root" },
  { name: "reaches the emergency keys", script: "(exec 3>>/proc/sysrq-trigger) && echo ESCAPED", outside: "untried" },
  { name: "reads digests of passwords", script: "grep -q : /etc/shadow && echo ESCAPED", outside: "escapes for root" },
  {
    name: "inherits a descriptor",
    script:
      "ls /proc/self/fd | grep -vxE '[0-3]' | while read n; do case $(readlink /proc/self/fd/$n) in ''|/dev/null) ;; *) echo ESCAPED;; esac; done",
    outside: "untried",
  },
];
