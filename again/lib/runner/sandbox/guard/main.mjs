// src/runner/sandbox/cgroups/find.ts
import { accessSync, constants, mkdirSync as mkdirSync2 } from "node:fs";
import { basename, dirname, join as join4 } from "node:path";

// src/runner/sandbox/types.ts
var SandboxRefused = class extends Error {
  name = "SandboxRefused";
};
typeof SandboxRefused === "function" && Object.defineProperty(SandboxRefused, "name", { value: "SandboxRefused" });

// src/runner/sandbox/cgroups/files.ts
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
var codeOf = (error) => error.code;
function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENODEV") return "";
    throw error;
  }
}
function write(folder, name, value) {
  writeFileSync(join(folder, name), `${value}
`, { flag: "r+" });
}
function writeIfThere(folder, name, value) {
  try {
    write(folder, name, value);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENODEV") return false;
    throw error;
  }
}
function countOf(file, name) {
  const line = readText(file).split("\n").find((one) => one.startsWith(`${name} `));
  return line === void 0 ? 0 : Number(line.slice(name.length + 1));
}
var pidsOf = (folder) => readText(join(folder, "cgroup.procs")).split("\n").map(Number).filter((pid) => pid > 0);
function killPids(pids, signal) {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (codeOf(error) !== "ESRCH") throw error;
    }
}
function makeGroup(folder) {
  mkdirSync(folder, { mode: 493 });
}
function removeGroup(folder) {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (codeOf(error) === "EBUSY") return false;
    if (codeOf(error) !== "ENOENT") throw error;
  }
  return true;
}
function foldersOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

// src/runner/sandbox/cgroups/v1.ts
import { join as join2 } from "node:path";

// src/runner/sandbox/cgroups/types.ts
var CPU_PERIOD_US = 1e5;
var LEAST_QUOTA_US = 1e3;
var cpuQuotaUs = (cpus) => Math.max(Math.round(cpus * CPU_PERIOD_US), LEAST_QUOTA_US);

// src/runner/sandbox/cgroups/v1.ts
function groupIn(folders) {
  const all = [...new Set(Object.values(folders))];
  return {
    joinFiles: all.map((folder) => join2(folder, "cgroup.procs")),
    pids: () => pidsOf(folders.pids),
    counts: () => ({
      oomKills: countOf(join2(folders.memory, "memory.oom_control"), "oom_kill"),
      refusedForks: countOf(join2(folders.pids, "pids.events"), "max")
    }),
    kill: () => {
      writeIfThere(folders.pids, "pids.max", 0);
      for (const folder of all) killPids(pidsOf(folder), "SIGKILL");
    },
    remove: () => all.map(removeGroup).every((gone) => gone)
  };
}
function cgroupsV1(bases) {
  const foldersNamed = (name) => ({
    memory: join2(bases.memory, name),
    pids: join2(bases.pids, name),
    cpu: join2(bases.cpu, name)
  });
  return {
    version: 1,
    create: (name, limits) => {
      const folders = foldersNamed(name);
      const group = groupIn(folders);
      try {
        for (const folder of new Set(Object.values(folders))) makeGroup(folder);
        write(folders.memory, "memory.limit_in_bytes", limits.memoryBytes);
        writeIfThere(folders.memory, "memory.memsw.limit_in_bytes", limits.memoryBytes);
        writeIfThere(folders.memory, "memory.kmem.tcp.limit_in_bytes", limits.memoryBytes);
        write(folders.pids, "pids.max", limits.processes);
        write(folders.cpu, "cpu.cfs_period_us", CPU_PERIOD_US);
        write(folders.cpu, "cpu.cfs_quota_us", cpuQuotaUs(limits.cpus));
      } catch (error) {
        group.remove();
        throw error;
      }
      return group;
    },
    names: () => [...new Set([bases.memory, bases.pids, bases.cpu].flatMap(foldersOf))],
    existing: (name) => groupIn(foldersNamed(name))
  };
}

// src/runner/sandbox/cgroups/v2.ts
import { join as join3 } from "node:path";
function groupIn2(folder) {
  return {
    joinFiles: [join3(folder, "cgroup.procs")],
    pids: () => pidsOf(folder),
    counts: () => ({
      oomKills: countOf(join3(folder, "memory.events"), "oom_kill"),
      refusedForks: countOf(join3(folder, "pids.events"), "max")
    }),
    kill: () => {
      writeIfThere(folder, "pids.max", 0);
      if (!writeIfThere(folder, "cgroup.kill", 1)) killPids(pidsOf(folder), "SIGKILL");
    },
    remove: () => removeGroup(folder)
  };
}
function cgroupsV2(base, make = makeGroup) {
  return {
    version: 2,
    create: (name, limits) => {
      const folder = join3(base, name);
      const group = groupIn2(folder);
      try {
        make(folder);
        write(folder, "memory.max", limits.memoryBytes);
        writeIfThere(folder, "memory.swap.max", 0);
        writeIfThere(folder, "memory.oom.group", 1);
        write(folder, "pids.max", limits.processes);
        write(folder, "cpu.max", `${cpuQuotaUs(limits.cpus)} ${CPU_PERIOD_US}`);
      } catch (error) {
        group.remove();
        throw error;
      }
      return group;
    },
    names: () => foldersOf(base),
    existing: (name) => groupIn2(join3(base, name))
  };
}

// src/runner/sandbox/cgroups/find.ts
var CONTROLLERS = ["memory", "pids", "cpu"];
var RUNNER = "runner";
function mountOf(line) {
  const [front, back] = line.split(" - ");
  const [, , , root, at] = front.split(" ");
  const [type, , options] = back?.split(" ") ?? [];
  return root === void 0 || at === void 0 || type === void 0 ? void 0 : { root, at, type, options: options?.split(",") ?? [] };
}
function ownFolder(controller, cgroupText, mountText) {
  const isV2 = controller === "";
  const lines = cgroupText.split("\n").map((line) => line.split(":"));
  const path = lines.find(([, names]) => isV2 ? names === "" : names?.split(",").includes(controller))?.[2];
  const mount = mountText.split("\n").map(mountOf).find((one) => isV2 ? one?.type === "cgroup2" : one?.type === "cgroup" && one.options.includes(controller));
  if (path === void 0 || mount === void 0) return void 0;
  if (path === mount.root) return mount.at;
  const prefix = mount.root === "/" ? "" : mount.root;
  return path.startsWith(`${prefix}/`) ? join4(mount.at, path.slice(prefix.length)) : mount.at;
}
function prepareV2(own, pid) {
  const base = basename(own) === RUNNER ? dirname(own) : own;
  const available = readText(join4(base, "cgroup.controllers")).split(/\s+/);
  const missing = CONTROLLERS.filter((one) => !available.includes(one));
  if (missing.length > 0) throw new Error(`${base} lacks the controllers ${missing.join(", ")}`);
  if (base === own) {
    try {
      mkdirSync2(join4(base, RUNNER));
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    write(join4(base, RUNNER), "cgroup.procs", pid);
  }
  write(base, "cgroup.subtree_control", CONTROLLERS.map((one) => `+${one}`).join(" "));
  return base;
}
var WHAT_TO_DO = "Start the runner by systemd with Delegate=yes, or as root where /sys/fs/cgroup can be written.";
function findCgroups() {
  const cgroupText = readText("/proc/self/cgroup");
  const mountText = readText("/proc/self/mountinfo");
  const reasons = [];
  try {
    const own = ownFolder("", cgroupText, mountText);
    if (own === void 0) throw new Error("it is not mounted");
    return cgroupsV2(prepareV2(own, process.pid));
  } catch (error) {
    reasons.push(`Version 2 cannot be used: ${error.message}.`);
  }
  try {
    const folders = CONTROLLERS.map((one) => {
      const folder = ownFolder(one, cgroupText, mountText);
      if (folder === void 0) throw new Error(`the controller ${one} is not mounted`);
      accessSync(folder, constants.W_OK);
      return folder;
    });
    const [memory, pids, cpu] = folders;
    return cgroupsV1({ memory, pids, cpu });
  } catch (error) {
    reasons.push(`Version 1 cannot be used: ${error.message}.`);
  }
  throw new SandboxRefused(`Apps cannot be limited, since no control group can be written. ${reasons.join(" ")} ${WHAT_TO_DO}`);
}

// src/runner/sandbox/cgroups/remove.ts
import { setTimeout } from "node:timers/promises";
var ROUND_MS = 20;
var PATIENCE_MS = 1e4;
async function emptyAndRemove(group) {
  for (let waited = 0; waited < PATIENCE_MS; waited += ROUND_MS) {
    group.kill();
    if (group.remove()) return true;
    await setTimeout(ROUND_MS);
  }
  return false;
}

// src/runner/sandbox/guard/main.ts
var [owner] = process.argv.slice(2);
var cgroups = findCgroups();
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {
});
process.stdin.resume();
process.stdin.once("close", async () => {
  const left = cgroups.names().filter((name) => name.startsWith(owner));
  await Promise.all(left.map((name) => emptyAndRemove(cgroups.existing(name))));
  process.exit();
});
process.stdout.write("ready\n");
