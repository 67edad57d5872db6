import { parentPort, workerData } from 'node:worker_threads'
import type { WorldId } from '@quipu/core'
import type { MarketInputs } from '../market/market-inputs.ts'
import { openStore, type Store } from '../market/store/index.ts'
import { worldMarket } from '../market/world-market.ts'
import { asLongWork } from '../process/long-work.ts'
import type { HistorySource } from './lists.ts'
import type { FromHistoryThread, HistoryThreadData, ToHistoryThread } from './messages.ts'
import { readPage } from './page.ts'

/** Reads pages of market history for the main thread. */
const port = parentPort!
const { folder } = workerData as HistoryThreadData
/** Each function builds its market at the first call. */
const markets = new Map<WorldId, () => HistorySource>()
const clients = new Map<number, Client>()
let store: Store | undefined

class Client {
  isClosed = false
  onClosed(): () => void {
    return () => undefined
  }
}

const send = (message: FromHistoryThread): void => port.postMessage(message)

port.on('message', (message: ToHistoryThread) => {
  if (message.kind === 'forget') markets.delete(message.world)
  else if (message.kind === 'stop') close(message.id)
  else void read(message)
})
send({ kind: 'ready' })

/** Work stops before its next symbol. */
function close(id: number): void {
  const client = clients.get(id)
  if (client) client.isClosed = true
}

async function read({ id, name, world, market, query }: ToHistoryThread & { kind: 'read' }): Promise<void> {
  if (market) markets.set(world, lazily(market))
  const source = markets.get(world)
  const client = new Client()
  clients.set(id, client)
  try {
    const bytes = await asLongWork(name, client, () => readPage(source!(), query))
    port.postMessage({ kind: 'page', id, bytes } satisfies FromHistoryThread, [bytes.buffer])
  } catch {
    // The main thread reads the page again and answers with the error.
    send({ kind: 'failed', id })
  } finally {
    clients.delete(id)
  }
}

function lazily(inputs: MarketInputs): () => HistorySource {
  let source: HistorySource | undefined
  return () => (source ??= sourceOf(inputs))
}

/** Decoded blocks to keep: fewer than the main thread, because each thread has its own. */
const CACHE_BLOCKS = 16

function sourceOf({ settings, added, series }: MarketInputs): HistorySource {
  const market = worldMarket({
    settings,
    added,
    imported: () => {
      store ??= openStore(folder!, { cacheBlocks: CACHE_BLOCKS, readOnly: true })
      return series.map((record) => store!.pinned(record))
    },
  })
  return { market, actions: added.actions }
}
