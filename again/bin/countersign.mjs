#!/usr/bin/env node

// scripts/package/countersign.mjs
import module from "module";
import { dirname as dirname2, join as join2, resolve as resolve2 } from "path";
import { fileURLToPath as fileURLToPath2, pathToFileURL } from "url";

// scripts/setup/become.mjs
import { spawn } from "child_process";
import { constants } from "os";
import { delimiter, dirname, join, resolve } from "path";
import { fileURLToPath } from "url";
var ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
var PARENT = process.ppid;
var PARENT_ARGUMENT = process.env.npm_lifecycle_event ? [`--parent=${PARENT}`] : [];
function environmentFor(node, root2) {
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(root2, ".cache", "compile");
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`, NODE_COMPILE_CACHE };
}
function runUnder(node, args2, root2 = ROOT) {
  const child = spawn(node, args2, { stdio: "inherit", env: environmentFor(node, root2) });
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"];
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  const orphaned = () => {
    if (process.ppid === PARENT) return;
    clearInterval(watch);
    forward("SIGTERM");
  };
  const watch = process.env.npm_lifecycle_event ? setInterval(orphaned, 250) : void 0;
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("exit", (code, signal) => {
      clearInterval(watch);
      for (const name of signals) process.removeListener(name, forward);
      done(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}
function become(node, args2, root2, more = []) {
  if (process.execve === void 0 || process.platform === "win32") return runUnder(node, args2, root2);
  return process.execve(node, [node, ...args2, ...more], environmentFor(node, root2));
}

// scripts/setup/minimum.mjs
var MINIMUM = [22, 18];
function isNewEnough(version) {
  const [major, minor] = version.replace(/^v/, "").split(".").map(Number);
  return major > MINIMUM[0] || major === MINIMUM[0] && minor >= MINIMUM[1];
}
var need = () => `Countersign needs Node.js ${MINIMUM.join(".")} or newer and this is ${process.version}`;

// scripts/setup/service-node.mjs
function serviceFlags(env) {
  if (/semi[-_]space|max[-_]heap[-_]size/.test(env.NODE_OPTIONS ?? "")) return [];
  return ["--min-semi-space-size=32", "--max-semi-space-size=32"];
}
var SERVICE_ENVIRONMENT = { MALLOC_ARENA_MAX: "2", GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" };
function asService() {
  var _a;
  for (const [name, value] of Object.entries(SERVICE_ENVIRONMENT)) (_a = process.env)[name] ?? (_a[name] = value);
  return serviceFlags(process.env);
}

// scripts/package/countersign.mjs
var root = resolve2(dirname2(fileURLToPath2(import.meta.url)), "..");
var args = process.argv.slice(2);
async function run() {
  var _a, _b;
  if (!isNewEnough(process.version)) {
    process.stderr.write(`${need()}: install one, or run an image of the container
`);
    return 1;
  }
  if (args.length === 1 && args[0] === "start")
    return become(process.execPath, [...asService(), join2(root, "lib/packaged.mjs")], root, PARENT_ARGUMENT);
  (_b = (_a = module).enableCompileCache) == null ? void 0 : _b.call(_a, process.env.NODE_COMPILE_CACHE ?? join2(root, ".cache", "compile"));
  await import(pathToFileURL(join2(root, "lib/cli.mjs")).href);
  return void 0;
}
run().then(
  (code) => {
    if (code !== void 0) process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`${error.stack}
`);
    process.exitCode = 1;
  }
);
