import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ContenderProcess, type Ready } from '../contender-process.ts'
import { load, percentile, requireAllOk } from '../load.ts'
import { anOrder, withFolder } from '../quipu-process.ts'
import { median } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

/** An attack runs until `isOver`, and returns how many of its requests were answered. */
type Attack = (ready: Ready, isOver: () => boolean) => Promise<number>

const attacks: Readonly<Record<string, Attack>> = {
  '55 sign-ins by nobody at a time': signIns,
  'orders of 1 MB': (ready, isOver) => bodies(ready, isOver, '/v2/orders', MANY_VALUES),
  'accounts of 1 MB by a partner': (ready, isOver) =>
    bodies({ ...ready, headers: ready.operator! }, isOver, '/v1/accounts', LONG_TEXT),
  '1,000 event streams of one key': eventStreams,
}

const MANY_VALUES = `{"list":[${new Array(499_000).fill('1').join()}]}`
const LONG_TEXT = JSON.stringify({ document: 'x'.repeat(990_000) })

/** Orders of the other account: the rate of one program. */
const PER_SECOND = 50
const CALLS = 300
const CONNECTIONS = 4

type Round = { readonly alone: number; readonly attacked: number; readonly answered: number }

/** (attacks) The median order of another account during an attack, against the same alone. */
export async function underAttack({ rounds }: Size): Promise<readonly Row[]> {
  const row = rowsWith('attacks')
  const rows: Row[] = []
  for (const [name, attack] of Object.entries(attacks)) {
    const results: Round[] = []
    for (let turn = 0; turn < rounds; turn++) results.push(await round(attack))
    const ratio = median(results.map(({ alone, attacked }) => attacked / alone))
    rows.push(row(`${name}: median order of another account / alone`, ratio, 'at most 2'))
    rows.push(
      row(`${name}: answered requests of the attack`, median(results.map(({ answered }) => answered))),
    )
  }
  return rows
}

function round(attack: Attack): Promise<Round> {
  return withFolder(async (folder) => {
    const quipu = await ContenderProcess.start('quipu.child.ts', [folder, '0'])
    try {
      const other = await otherAccount(quipu.ready)
      // The first orders compile the code.
      await medianOrder(other)
      const alone = await medianOrder(other)
      let isOver = false
      const attacking = attack(quipu.ready, () => isOver)
      await sleep(500)
      const attacked = await medianOrder(other)
      isOver = true
      return { alone, attacked, answered: await attacking }
    } finally {
      await quipu.kill()
    }
  })
}

async function medianOrder(ready: Ready): Promise<number> {
  const answers = await load(ready, anOrder, {
    connections: CONNECTIONS,
    calls: CALLS,
    perSecond: PER_SECOND,
  })
  requireAllOk('orders', CALLS, answers)
  return percentile(answers.latenciesMs, 0.5)
}

/** The key of a second account of `main`. */
async function otherAccount({ port, operator }: Ready): Promise<Ready> {
  const post = async (path: string, body: object) => {
    const headers = { ...operator, 'Content-Type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: received ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<Record<string, string>>
  }
  const { id } = await post('/v1/accounts', { cash: '100000' })
  const { key_id = '', secret_key = '' } = await post('/sim/v1/worlds/main/keys', { account_id: id })
  return { port, headers: { 'APCA-API-KEY-ID': key_id, 'APCA-API-SECRET-KEY': secret_key } }
}

/** Each browser asks for the page, then sends the form of an unknown user. */
async function signIns({ port }: Ready, isOver: () => boolean): Promise<number> {
  const url = `http://127.0.0.1:${port}/oauth/sign-in`
  let answered = 0
  const browser = async (number: number) => {
    while (!isOver()) {
      const page = await fetch(url)
      const cookie = page.headers.getSetCookie().map((line) => line.split(';')[0]!)
      const csrf = /name="csrf" value="([^"]*)"/.exec(await page.text())?.[1] ?? ''
      const body = new URLSearchParams({
        csrf,
        name: `nobody-${number}-${answered}`,
        password: 'a wrong password',
      })
      const headers = { cookie: cookie.join('; '), origin: url.slice(0, -14) }
      await (await fetch(url, { method: 'POST', body, headers, redirect: 'manual' })).text()
      answered += 1
    }
  }
  await Promise.all(Array.from({ length: 55 }, (_, number) => browser(number)))
  return answered
}

async function bodies(
  { port, headers }: Ready,
  isOver: () => boolean,
  path: string,
  body: string,
): Promise<number> {
  let answered = 0
  const client = async () => {
    while (!isOver()) {
      // A refused body may end its connection.
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body }).catch(
        () => undefined,
      )
      await answer?.text().catch(() => undefined)
      answered += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  return answered
}

/** Opens as many as it gets, and tries the refused ones again. */
async function eventStreams({ port, headers }: Ready, isOver: () => boolean): Promise<number> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `GET /v2/events/trades HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`
  const open = new Set<Socket>()
  let answered = 0
  while (!isOver()) {
    while (open.size < 1000) {
      const socket = connect(port, '127.0.0.1', () => socket.write(request))
      open.add(socket)
      socket.once('data', () => (answered += 1))
      socket.on('error', () => undefined).on('close', () => open.delete(socket))
    }
    await sleep(50)
  }
  for (const socket of open) socket.destroy()
  return answered
}
