import { spawn } from "node:child_process";
import { chownSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  marker,
  noSandbox,
  openWorkspace,
  ownedFolder,
  removeFoldersAfterAll,
  sandboxUser,
} from "./sandbox-workspace.ts";

removeFoldersAfterAll();

describe.skipIf(noSandbox !== undefined)("a command cannot leave the sandbox", () => {
  const secret = `secret-${crypto.randomUUID()}`;
  const { run, root } = openWorkspace();
  const beside = `${root}-secret.txt`;
  const inTmp = ownedFolder();

  beforeAll(() => {
    process.env["UNDANGLE_TEST_SECRET"] = secret;
    for (const path of [beside, join(inTmp, "secret.txt")]) {
      writeFileSync(path, secret);
      if (sandboxUser !== undefined) chownSync(path, sandboxUser.uid, sandboxUser.gid);
    }
    symlinkSync(beside, join(root, "link-to-file"));
    symlinkSync(inTmp, join(root, "link-to-folder"));
    symlinkSync("/etc/shadow", join(root, "link-to-shadow"));
    symlinkSync(`../${basename(beside)}`, join(root, "relative-link"));
  });
  afterAll(() => {
    delete process.env["UNDANGLE_TEST_SECRET"];
    rmSync(beside, { force: true });
  });

  describe("to read", () => {
    test.each([
      ["passwords", "cat /etc/shadow"],
      ["the home of root", "ls /root"],
      ["homes", "ls /home"],
      ["/var", "ls /var"],
      ["/run", "ls /run"],
      ["/sys", "ls /sys"],
      ["/opt", "ls /opt"],
      ["/etc/ssh", "ls /etc/ssh"],
      ["a file beside the root", `cat ${beside}`],
      ["a file beside the root by ..", `cat ../${basename(beside)}`],
      ["the root by its path on the host", `ls ${root}`],
      ["a folder in /tmp of the host", `cat ${inTmp}/secret.txt`],
      ["a file through a link", "cat link-to-file"],
      ["a folder through a link", "cat link-to-folder/secret.txt"],
      ["passwords through a link", "cat link-to-shadow"],
      ["a file through a relative link", "cat relative-link"],
      ["the root of the host through a process", `cat /proc/1/root${beside}`],
      ["the working folder of the first process", `cat /proc/1/cwd${beside}`],
      ["memory of the kernel", "head -c 1 /proc/kcore"],
      ["a disk", "ls /dev/sda /dev/vda /dev/nvme0n1 /dev/mem /dev/kmsg /dev/fuse /dev/kvm 2>/dev/null | grep ."],
      ["messages of the kernel", "dmesg"],
    ])("%s", async (_, command) => {
      const end = await run(command);
      expect(end.exitCode).not.toBe(0);
      expect(end.output).not.toContain(secret);
    });

    test("the environment of the host", async () => {
      const end = await run("cat /proc/*/environ /proc/*/task/*/environ | tr '\\0' '\\n'; env");
      expect(end.output).toContain("LANG=C.UTF-8");
      expect(end.output).not.toContain(secret);
      const names = end.output.matchAll(/^(\w+)=/gmu);
      expect(new Set([...names].map(([, name]) => name))).toEqual(new Set(["HOME", "LANG", "PATH", "PWD"]));
    });

    test("the command line of the host", async () => {
      expect((await run("cat /proc/*/cmdline | tr '\\0' ' '")).output).not.toContain(root);
    });

    test("file descriptors of the host", async () => {
      const end = await run("for d in /proc/self/fd/*; do readlink $d; done | sort -u");
      const files = end.output.split("\n").filter((line) => !/^(?:|\/dev\/null|pipe:.*|\/proc\/\d+\/fd)$/u.test(line));
      expect(files).toEqual([]);
    });
  });

  describe("to write", () => {
    test.each([
      ["/usr/bin/new"],
      ["/bin/new"],
      ["/etc/new"],
      ["/etc/passwd"],
      ["/etc/ld.so.cache"],
      ["/new"],
      ["/dev/new"],
      ["/proc/new"],
      ["/proc/sys/kernel/hostname"],
      ["/proc/sys/vm/drop_caches"],
      ["/proc/sys/kernel/core_pattern"],
      ["/proc/sysrq-trigger"],
      ["/proc/self/uid_map"],
      ["../new"],
    ])("%s", async (path) => {
      expect((await run(`echo 1 > ${path}`)).exitCode).not.toBe(0);
    });

    test("a file outside through a link", async () => {
      await run(
        "echo changed > link-to-file; echo changed > link-to-folder/secret.txt; echo changed > link-to-folder/new",
      );
      expect(readFileSync(beside, "utf8")).toBe(secret);
      expect(readFileSync(join(inTmp, "secret.txt"), "utf8")).toBe(secret);
      expect(existsSync(join(inTmp, "new"))).toBe(false);
    });

    test("a hard link to a file outside", async () => {
      expect((await run("ln /usr/bin/env hard-link")).exitCode).not.toBe(0);
    });
  });

  describe("to get rights", () => {
    test.each([
      ["mount", "mount -t tmpfs none /tmp"],
      ["bind mount", "mount --bind /workspace /tmp"],
      ["make a system folder writable", "mount -o remount,rw /usr"],
      ["unmount", "umount /tmp"],
      ["a new user namespace", "unshare --user true"],
      ["a new mount namespace", "unshare --mount true"],
      ["a new network namespace", "unshare --user --net true"],
      ["enter namespaces of the first process", "nsenter --target 1 --all true"],
      ["change the root", "chroot /workspace true"],
      ["change the user", "perl -MPOSIX -e 'POSIX::setuid(0) or exit 5'"],
      ["become root", "su -c true"],
      ["make a device", "mknod device b 8 0"],
      ["change the owner", "touch own; chown 0:0 own"],
      ["change the host name", "hostname other"],
      ["change the clock", "date -s 2001-01-01"],
      ["raise a limit", "prlimit --nproc=100000:100000 true"],
      ["use a terminal", "echo x > /dev/tty"],
    ])("%s", async (_, command) => {
      const { exitCode } = await run(command);
      expect([0, 127]).not.toContain(exitCode); // 127: the program is missing, which would prove nothing
    });

    test("capabilities, set-user-id programs, a new session", async () => {
      const status = await run("grep -E '^(Cap|NoNewPrivs)' /proc/self/status | tr '\\t' ' '");
      const none = ["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}: 0000000000000000\n`);
      expect(status.output).toBe(`${none.join("")}NoNewPrivs: 1\n`);
      expect((await run("grep ' /usr ' /proc/self/mountinfo")).output).toMatch(/\bro\b.*nosuid|nosuid.*\bro\b/u);
      expect((await run("cp /usr/bin/env own-env; chmod 4755 own-env; ./own-env id -u")).output).toBe("1000\n");
      // TIOCSTI: text for the terminal of the host.
      const typed = String.raw`perl -e 'open(T, "+<", "/dev/tty") or exit 7; ioctl(T, 0x5412, "x") or exit 8'`;
      expect((await run(typed)).exitCode).toBe(7);
    });

    test.skipIf(sandboxUser === undefined)("groups of root", async () => {
      expect((await run("id -G")).output).toBe("1000\n");
    });

    test.runIf(process.arch === "x64")("read the keyring of the session", async () => {
      // keyctl(KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1)
      expect((await run("perl -e 'print syscall(250, 0, -3, 1), $! + 0'")).output).toBe("-11"); // -1, EPERM
      expect((await run("grep ^Seccomp: /proc/self/status | tr -d '\\t'")).output).toBe("Seccomp:2\n");
    });

    test("read the memory of the first process", async () => {
      expect((await run("head -c 1 /proc/1/mem")).exitCode).not.toBe(0);
    });
  });

  describe("to reach processes of the host", () => {
    test("it sees its own only", async () => {
      const end = await run("ls /proc | grep -E '^[0-9]+$'");
      expect(end.output.trim().split("\n").length).toBeLessThan(8);
    });

    test("it cannot kill one of the same user", async () => {
      const name = marker();
      const child = spawn("/bin/sh", ["-c", "sleep 60", name], { stdio: "ignore", ...sandboxUser });
      try {
        expect((await run(`kill -9 ${child.pid}`)).exitCode).not.toBe(0);
        await run("kill -9 -1");
        expect(child.exitCode).toBeNull();
        expect(child.signalCode).toBeNull();
      } finally {
        child.kill("SIGKILL");
      }
    });
  });

  describe("to reach the network", () => {
    const shared = openWorkspace({ network: true });
    const name = marker();
    const servers: Server[] = [];
    let port = 0;
    const toPort = (): string => `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && head -c 5 <&3'`;
    const toSocket = String.raw`perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un("\0${name}")) or die; print <S>'`;

    beforeAll(async () => {
      const listen = (at: { port: number; host: string } | { path: string }): Promise<Server> =>
        new Promise((resolve) => {
          const server = createServer((socket) => socket.on("error", () => undefined).end("hello"));
          server.listen(at, () => resolve(server));
          servers.push(server);
        });
      const address = (await listen({ port: 0, host: "127.0.0.1" })).address();
      port = typeof address === "object" ? (address?.port ?? 0) : 0;
      await listen({ path: `\0${name}` });
    });
    afterAll(() => servers.forEach((server) => server.close()));

    test("a server on the host", async () => {
      const end = await run(toPort());
      expect(end.exitCode).not.toBe(0);
      expect(end.output).not.toContain("hello");
      expect((await shared.run(toPort())).output).toBe("hello"); // what the option network is for
    });

    test("an abstract socket on the host", async () => {
      expect((await run(toSocket)).output).not.toContain("hello");
      expect((await shared.run(toSocket)).output).toBe("hello");
    });

    test("names and interfaces", async () => {
      expect((await run("getent hosts example.com")).exitCode).not.toBe(0);
      expect((await run("tail -n +3 /proc/net/dev | grep -v '^ *lo:'")).output).toBe("");
      expect((await run("test -e /etc/resolv.conf")).exitCode).toBe(1);
    });

    test("a server of its own works", async () => {
      const script = String.raw`perl -MIO::Socket::INET -e '
        $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "localhost") or die $!;
        $c = IO::Socket::INET->new(PeerAddr => "localhost", PeerPort => $s->sockport) or die $!; print "connected"'`;
      expect(await run(script)).toMatchObject({ output: "connected", exitCode: 0 });
    });
  });
});
