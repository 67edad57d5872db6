import { once } from 'node:events'
import { Session } from 'node:inspector/promises'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog, readConfig, startQuipu } from '@quipu/server'
import WebSocket from 'ws'
import { withFolder } from './quipu-process.ts'
import { createWorld } from './virtual-world.ts'

/** The code of the product that runs for one order. */
export type OrderPath = {
  readonly files: readonly string[]
  readonly functions: number
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const isProduct = (file: string): boolean =>
  /^(core|contract|broker|server|cli|sdk)\/src\//.test(file) && !/\/testing\//.test(file)

/**
 * Places a market order by HTTP in a virtual world and waits until its fill arrives on the stream; counts the files and
 * functions that the main thread runs meanwhile. An order before it has loaded every module.
 */
export const orderPath = (): Promise<OrderPath> =>
  withFolder(async (folder) => {
    const flags = new Map([
      ['port', '0'],
      ['data', folder],
      ['log', 'error'],
    ])
    const { config } = readConfig({ flags, env: {}, readText: () => '' })
    const log = createLog({ level: 'error', readable: true, write: (text) => process.stderr.write(text) })
    const quipu = await startQuipu(config, log)
    try {
      return await measure(Number(new URL(quipu.url).port), quipu.credentials)
    } finally {
      await quipu.close()
    }
  })

type Keys = { readonly brokerKey?: string | undefined; readonly brokerSecret?: string | undefined }

async function measure(port: number, { brokerKey = '', brokerSecret = '' }: Keys): Promise<OrderPath> {
  const operator = { 'APCA-API-KEY-ID': brokerKey, 'APCA-API-SECRET-KEY': brokerSecret }
  const ready = { port, headers: operator, operator }
  const { headers } = await createWorld(ready, { seed: 'path', start: '2026-01-05T15:00:00Z' })
  const stream = new WebSocket(`ws://127.0.0.1:${port}/stream`)
  await once(stream, 'open')
  stream.send(
    JSON.stringify({
      action: 'auth',
      key: headers['APCA-API-KEY-ID'],
      secret: headers['APCA-API-SECRET-KEY'],
    }),
  )
  stream.send(JSON.stringify({ action: 'listen', data: { streams: ['trade_updates'] } }))
  const order = async (): Promise<void> => {
    const filled = new Promise<void>((resolve) => {
      const read = (data: Buffer): void => {
        if (!data.toString().includes('"event":"fill"')) return
        stream.off('message', read)
        resolve()
      }
      stream.on('message', read)
    })
    const body = '{"symbol":"AAPL","qty":"1","side":"buy","type":"market","time_in_force":"day"}'
    const response = await fetch(`http://127.0.0.1:${port}/v2/orders`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    })
    if (!response.ok) throw new Error(`an order: received ${response.status}`)
    await response.text()
    await filled
  }
  await order()
  const path = await whileCounting(order)
  stream.terminate()
  return path
}

async function whileCounting(run: () => Promise<void>): Promise<OrderPath> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const called = result
    .filter(({ url }) => url.startsWith('file:'))
    .map(({ url, functions }) => ({
      file: relative(root, fileURLToPath(url)).split(sep).join('/'),
      calls: functions.filter(({ ranges }) => ranges[0]!.count > 0).length,
    }))
    .filter(({ file, calls }) => isProduct(file) && calls > 0)
  return {
    files: called.map(({ file }) => file).sort(),
    functions: called.reduce((sum, { calls }) => sum + calls, 0),
  }
}
