import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withFolder, withQuipu } from '../quipu-process.ts'
import { type Row, rowsWith, type Size } from '../row.ts'
import { operate } from '../virtual-world.ts'

const row = rowsWith('y')
const daily = rowsWith('z')
/** One-minute bars of the regular sessions of a year. */
const YEAR_BARS = 98_280
/** Bars of a trading day, with those before the open and after the close. */
const DAY_BARS = 956
/** The first bars cost twice as much, until Node has compiled the code. */
const BARS_MIN = 20_000
const START = '2025-01-02'
const DAY_MS = 86_400_000

const bot = join(import.meta.dirname, '..', 'bar-bot.ts')
const quipu = join(import.meta.dirname, '..', '..', '..', 'cli', 'bin', 'quipu.js')

type Replayed = { readonly elapsed_ms: number; readonly client_ms: number; readonly mode: string }
type Outcome = Replayed & { readonly count: number }

/** (y) A year of one-minute bars in lock-step with the official SDK, scaled from fewer bars; (z) a year of daily steps. */
export async function replays({ calls }: Size): Promise<readonly Row[]> {
  const days = Math.ceil((Math.max(calls, BARS_MIN) / DAY_BARS) * 1.5)
  const end = new Date(Date.parse(START) + days * DAY_MS).toISOString().slice(0, 10)
  const byPings = await replayByPings(end)
  const byReports = await replayUnderRun(['--to', end, '--step', '1m'], 'minutes')
  const byDays = await replayUnderRun(['--to', '2025-12-31', '--step', '1d'], 'days')
  const of = `${YEAR_BARS} one-minute bars in lock-step`
  return [
    row(`${of} by pings: s`, yearSeconds(byPings), '≤ 60'),
    row(`${of} by pings: share of the client`, share(byPings)),
    row(`${of} under quipu run: s`, yearSeconds(byReports), '≤ 30'),
    row(`${of} under quipu run: share of the client`, share(byReports)),
    daily(`${byDays.count} daily steps, bars and positions read at each: s`, byDays.elapsed_ms / 1000, '≤ 5'),
    daily('daily steps: share of the client', share(byDays)),
  ]
}

const yearSeconds = ({ elapsed_ms: ms, count }: Outcome): number => (ms / 1000 / count) * YEAR_BARS
const share = ({ elapsed_ms: ms, client_ms: clientMs }: Outcome): number => clientMs / ms

/** The SDK is connected to the server itself, without its own limiter. */
const replayByPings = (to: string): Promise<Outcome> =>
  withFolder((folder) =>
    withQuipu(folder, async ({ ready }) => {
      const created = JSON.parse(await operate(ready, 'POST', '', { start: START, hours: 'nyse' }))
      const [{ key_id: keyId, secret_key: secret }] = created.accounts
      const env = {
        ...process.env,
        APCA_API_KEY_ID: keyId,
        APCA_API_SECRET_KEY: secret,
        BENCH_URL: `http://127.0.0.1:${ready.port}`,
      }
      const child = fork(bot, ['minutes'], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
      await once(child, 'message')
      const [parts, path] = [[] as Replayed[], `/${created.world}/clock/replay`]
      for (let isFinished = false; !isFinished; ) {
        const part = JSON.parse(await operate(ready, 'POST', path, { to, step: '1m' }))
        parts.push(part)
        isFinished = part.finished
      }
      const sum = (of: (part: Replayed) => number): number => parts.reduce((total, one) => total + of(one), 0)
      const { count } = await endOf(child)
      return {
        elapsed_ms: sum((part) => part.elapsed_ms),
        client_ms: sum((part) => part.client_ms),
        mode: parts[0]!.mode,
        count,
      }
    }),
  )

async function endOf(child: ChildProcess): Promise<{ readonly count: number }> {
  let text = ''
  child.stdout!.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  child.kill('SIGTERM')
  await once(child, 'close')
  return JSON.parse(text)
}

/** The SDK with its own limiter, under `quipu run`. */
const replayUnderRun = (flags: readonly string[], kind: 'minutes' | 'days'): Promise<Outcome> =>
  withFolder(async (folder) => {
    const summary = join(folder, 'summary.json')
    const line = ['run', '--from', START, '--hours', 'nyse', '--quiet', '--summary', summary, ...flags]
    const program = ['--', process.execPath, bot, kind]
    const { stdout } = await promisify(execFile)(process.execPath, [quipu, ...line, ...program])
    const { replay } = JSON.parse(readFileSync(summary, 'utf8'))
    if (replay.mode !== 'exact') throw new Error(`expected an exact replay, received ${replay.mode}`)
    return { ...replay, ...JSON.parse(stdout) }
  })
