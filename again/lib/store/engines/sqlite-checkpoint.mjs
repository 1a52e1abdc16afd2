// src/store/engines/sqlite-checkpoint.ts
import { parentPort, Worker, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
var PAUSE_MS = 250;
var SMALL = 4e3;
var ROUNDS = 4;
function startCheckpointer(file, told) {
  const worker = new Worker(new URL(new URL("sqlite-checkpoint.mjs", import.meta.url).href), { workerData: { checkpoint: file } });
  worker.unref();
  worker.on("error", (error) => process.emitWarning(`the checkpoint thread ended: ${error.message}`));
  worker.on(
    "message",
    (failure) => told(failure === "done" ? void 0 : new Database.SqliteError(failure.message, failure.code))
  );
  const exited = new Promise((resolve) => {
    worker.once("exit", () => resolve());
  });
  return {
    stop() {
      worker.ref();
      worker.postMessage("stop");
      return exited;
    }
  };
}
function run(file) {
  const db = new Database(file);
  const checkpoint = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  let last = "done";
  const tell = (code, news) => {
    if (code !== last) parentPort.postMessage(news);
    last = code;
  };
  const timer = setInterval(() => {
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const { log, checkpointed } = checkpoint.get();
        if (log < SMALL || log === checkpointed) break;
      }
      tell("done", "done");
    } catch (error) {
      const { message, code } = error;
      tell(code, { message, code });
    }
  }, PAUSE_MS);
  parentPort.once("message", () => {
    clearInterval(timer);
    db.close();
  });
}
var asked = workerData?.checkpoint;
if (asked !== void 0) run(asked);
export {
  startCheckpointer
};
