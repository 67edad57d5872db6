// Waits for a time that is not on the clock of the world, in every way that a run must name.
import { execSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { clock } from './broker.mjs'

const turn = () => new Promise((resolve) => setImmediate(resolve))

const waits = {
  busyDate() {
    const end = Date.now() + 50
    while (Date.now() < end);
  },
  busyPerformance() {
    const end = performance.now() + 50
    while (performance.now() < end);
  },
  busyHrtime() {
    const end = process.hrtime.bigint() + 50_000_000n
    while (process.hrtime.bigint() < end);
  },
  async busyTurns() {
    const end = Date.now() + 50
    while (Date.now() < end) await turn()
  },
  async busyFlag() {
    let rang = false
    setTimeout(() => {
      rang = true
    }, 1000)
    while (!rang) await turn()
  },
  child: () => once(spawn('sleep', ['0.2']), 'exit'),
  async otherChild() {
    const child = spawn('tail', ['-f', '/dev/null'])
    await sleep(60_000)
    child.kill()
  },
  shell: () => void execSync('sleep 0.2'),
  async service() {
    const server = createServer((socket) => socket.end('here')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await once(connect(server.address().port, '127.0.0.1'), 'data')
    server.close()
  },
  // The last one: the clock no longer waits for the program.
  async notified() {
    const flag = new Int32Array(new SharedArrayBuffer(4))
    const text = `require('node:worker_threads').parentPort.once('message', (flag) => Atomics.wait(flag, 0, 0))`
    const one = new Worker(text, { eval: true })
    one.postMessage(flag)
    await sleep(30_000)
    Atomics.notify(flag, 0)
  },
}

await clock()
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(waits)) {
  await waits[name]()
  console.log(name)
  await sleep(1000)
  await clock()
}
process.exit(0)
