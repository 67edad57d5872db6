// Waits in every way that Node has, and prints how many seconds of the world each took.
import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:https'
import { performance } from 'node:perf_hooks'
import { scheduler, setTimeout as sleep, setInterval as ticks } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { clock } from './broker.mjs'

const worker = (text) => new Worker(text, { eval: true })
const node = (text) => [process.execPath, ['-e', text]]
const spin = (ms) =>
  `const end = process.cpuUsage().user + ${ms} * 1000; while (process.cpuUsage().user < end);`

/** As ccxt and rate limiters wait: a timer, and a look at a clock that never goes back. */
const until = async (now, end) => {
  while (now() < end) await sleep(end - now())
}

const waits = {
  timeout_90: () => new Promise((resolve) => setTimeout(resolve, 90_000)),
  promises_45: () => sleep(45_000),
  promisified_4: () => promisify(setTimeout)(4000),
  scheduler_12: () => scheduler.wait(12_000),
  refreshed_8: () =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, 5000)
      setTimeout(() => timer.refresh(), 3000)
    }),
  // An interval goes on while its reader waits.
  async ticks_9() {
    let count = 0
    for await (const _ of ticks(3000)) {
      count += 1
      if (count === 3) break
      await sleep(1000)
    }
  },
  interval_5: () => every(1000, 5),
  interval_0: () => every(0, 20),
  async abort_30() {
    // The timer of the signal does not keep the program running.
    const timer = setTimeout(() => undefined, 40_000)
    await once(AbortSignal.timeout(30_000), 'abort')
    clearTimeout(timer)
  },
  performance_8: () => until(() => performance.now(), performance.now() + 8000),
  // Each takes a millisecond.
  async fraction_3() {
    for (let turn = 0; turn < 3; turn += 1) await sleep(0.4)
  },
  origin_2: () => until(() => performance.timeOrigin + performance.now(), Date.now() + 2000),
  hrtime_6() {
    const ms = () => Number(process.hrtime.bigint() / 1_000_000n)
    return until(ms, ms() + 6000)
  },
  hrtime_pair_7() {
    const start = process.hrtime()
    const ms = () => {
      const [seconds, nanoseconds] = process.hrtime(start)
      return seconds * 1000 + nanoseconds / 1e6
    }
    return until(ms, 7000)
  },
  uptime_3: () => until(() => process.uptime() * 1000, process.uptime() * 1000 + 3000),
  atomics_20() {
    const result = Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000)
    if (result !== 'timed-out') throw new Error(result)
  },
  async date_in_new_york_60() {
    const time = () => new Intl.DateTimeFormat('en-US', { timeStyle: 'short' }).format()
    const before = time()
    await sleep(60_000)
    if (time() === before) throw new Error(`it is still ${before}`)
  },
  // The connection closes, and then the program works: an older report must not count.
  async work_after_close_0() {
    const late = setTimeout(() => console.log('the clock went on'), 2)
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve, reject) => {
        const options = { agent: false, headers: { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' } }
        const url = 'https://paper-api.alpaca.markets/v2/assets?asset_class=crypto'
        get(url, options, (response) => response.resume().once('close', resolve)).once('error', reject)
      })
      const end = process.cpuUsage().user + 50_000
      while (process.cpuUsage().user < end);
    }
    clearTimeout(late)
  },
  // Two timers and a thread end at one instant.
  async same_instant_5() {
    const ended = []
    const wait = async (name, made) => {
      await made
      ended.push(name)
    }
    await Promise.all([
      wait('first', sleep(5000)),
      wait('thread', once(worker('setTimeout(() => undefined, 5000)'), 'exit')),
      wait('second', sleep(5000)),
    ])
    if (ended.join(' ') !== 'first second thread') throw new Error(ended.join(' '))
  },
  async requests_beside_timers_10() {
    await Promise.all(
      [1000, 1500, 2000].map(async (ms) => {
        for (let turn = 0; turn < 5; turn += 1) {
          await clock()
          await sleep(ms)
        }
      }),
    )
  },
  worker_11: () => once(worker('setTimeout(() => undefined, 11_000)'), 'exit'),
  async worker_reply_4() {
    const text = `const { parentPort } = require('node:worker_threads')
      parentPort.once('message', () => setTimeout(() => parentPort.postMessage(1), 4000))`
    const one = worker(text)
    one.postMessage(1)
    await once(one, 'message')
  },
  // It computes between two messages, and the clock waits for it.
  async worker_work_0() {
    const text = `const { parentPort } = require('node:worker_threads')
      parentPort.on('message', () => { ${spin(60)} parentPort.postMessage(1) })`
    const one = worker(text)
    await once(one, 'online')
    const late = setTimeout(() => console.log('the clock went on'), 2)
    for (let turn = 0; turn < 3; turn += 1) {
      one.postMessage(1)
      await once(one, 'message')
    }
    clearTimeout(late)
    await one.terminate()
  },
  worker_atomics_16: () =>
    once(worker('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 16_000)'), 'exit'),
  child_13: () => once(spawn(...node('setTimeout(() => undefined, 13_000)')), 'exit'),
  async child_output_7() {
    const text = `setTimeout(() => { ${spin(60)} console.log('late') }, 7000); setTimeout(() => undefined, 90_000)`
    const child = spawn(...node(text))
    await once(child.stdout, 'data')
    child.kill()
    await once(child, 'exit')
  },
  async child_message_6() {
    const child = fork(import.meta.filename, ['child'])
    await once(child, 'message')
    child.send('work')
    const late = setTimeout(() => console.log('the clock went on'), 6001)
    await once(child, 'message')
    clearTimeout(late)
    child.disconnect()
    await once(child, 'exit')
  },
  child_sync_10: () => void execFileSync(...node('setTimeout(() => undefined, 10_000)')),
  shell_0: () => void execFileSync('echo', ['here']),
}

function every(ms, count) {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      count -= 1
      if (count > 0) return
      clearInterval(timer)
      resolve()
    }, ms)
  })
}

if (process.argv[2] === 'child') {
  process.once('message', () => {
    setTimeout(() => {
      const end = process.cpuUsage().user + 60_000
      while (process.cpuUsage().user < end);
      process.send('done')
    }, 6000)
  })
  process.send('ready')
} else {
  await clock()
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(waits)) {
    const [began, monotonic] = [Date.now(), performance.now()]
    await waits[name]()
    const took = Date.now() - began
    if (Math.abs(performance.now() - monotonic - took) > 1) throw new Error(`${name}: two clocks differ`)
    console.log(name, took / 1000)
    await clock()
  }
  console.log('end')
  process.exit(0)
}
