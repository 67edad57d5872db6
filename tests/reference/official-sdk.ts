import assert from 'node:assert/strict'
import { Alpaca, type AlpacaClientOptions, type streaming } from '@alpacahq/alpaca-trade-api'
import { Witness } from './witness.ts'

type Whom =
  | { readonly url: string; readonly keyId: string; readonly secretKey: string }
  | { readonly url: string; readonly accessToken: string }

/** The official SDK, led to our server by one line, with a witness of what it did there. */
export class OfficialSdk {
  readonly witness = new Witness()

  /**
   * Without its own throttle, and without its deadline: after an answer without a body its timer would keep the
   * test's process alive for half a minute.
   */
  client(whom: Whom, options: AlpacaClientOptions = {}): Alpaca {
    const credential =
      'accessToken' in whom
        ? { accessToken: whom.accessToken }
        : { keyId: whom.keyId, secret: whom.secretKey }
    const fetchApi = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const asked = new URL(String(input))
      const response = await fetch(whom.url + asked.pathname + asked.search, init)
      if (response.ok) {
        const isJson = response.headers.get('content-type')?.includes('json')
        const answer = isJson ? await response.clone().text() : ''
        const sent = parsed(String(init?.body ?? ''))
        this.witness.answered(init?.method ?? 'GET', asked.pathname, sent, parsed(answer))
      }
      return response
    }
    const alpaca = new Alpaca({ ...credential, rateLimit: false, timeoutMs: 0, fetchApi, ...options })
    return watched(alpaca, (method) => this.witness.called(method))
  }

  /** A stream of trade updates that is listening, and what it said. */
  async tradeUpdates(alpaca: Alpaca, url: string) {
    const stream = alpaca.trading.stream({ url: socketUrl(url, '/stream') })
    stream.subscribeTradeUpdates()
    const updates = new Heard<streaming.TradeUpdate>(stream, () =>
      this.witness.heard('/stream', 'trade_updates'),
    )
    stream.onTradeUpdate(updates.take)
    await listening(stream)
    return { stream, updates }
  }

  /** A stream of a feed that has the subscription, and what it said by channel. */
  async stockStream(alpaca: Alpaca, url: string, feed: string, symbols: readonly string[]) {
    const stream = alpaca.marketData.stockStream({ url: socketUrl(url, feed) })
    const on = <Message>(channel: string) =>
      new Heard<Message>(stream, () => this.witness.heard(feed, channel))
    const bars = on<streaming.StreamBar>('bars')
    const dailyBars = on<streaming.StreamBar>('dailyBars')
    const trades = on<streaming.StreamTrade>('trades')
    const quotes = on<streaming.StreamQuote>('quotes')
    stream.onBar(bars.take).onDailyBar(dailyBars.take).onTrade(trades.take).onQuote(quotes.take)
    stream.subscribeForBars([...symbols])
    stream.subscribeForDailyBars([...symbols])
    stream.subscribeForTrades([...symbols])
    stream.subscribeForQuotes([...symbols])
    await listening(stream)
    return { stream, bars, dailyBars, trades, quotes }
  }
}

/** The same client, whose methods of trading are noted when they are called: `orders.market`, `submitAndWait`. */
function watched(alpaca: Alpaca, note: (method: string) => void): Alpaca {
  const within = <Part extends object>(part: Part, path: string): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value === 'object' && value !== null) return within(value, `${path}${String(name)}.`)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          note(path + String(name))
          return value.apply(target, given)
        }
      },
    })
  const trading = within(alpaca.trading, '')
  return new Proxy(alpaca, {
    get: (target, name) => (name === 'trading' ? trading : Reflect.get(target, name, target)),
  })
}

type Stream = streaming.TradingStream | streaming.StockDataStream

/** What came on a stream so far. */
class Heard<Message> {
  readonly all: Message[] = []
  readonly #note: () => void
  #check: () => void = () => {}
  readonly #failed: Promise<never>

  constructor(stream: Stream, note: () => void) {
    this.#note = note
    this.#failed = new Promise((_, reject) => {
      stream.onError((text) => reject(new Error(`the stream said: ${text}`)))
    })
    this.#failed.catch(() => {})
  }

  readonly take = (message: Message): void => {
    this.all.push(message)
    this.#note()
    this.#check()
  }

  /** The first message of which something holds, also one that came before. */
  first(holds: (message: Message) => boolean): Promise<Message> {
    const found = new Promise<Message>((resolve) => {
      this.#check = () => {
        const match = this.all.find(holds)
        if (match !== undefined) resolve(match)
      }
      this.#check()
    })
    return Promise.race([found, this.#failed])
  }
}

/** Connects, and waits until the server has taken the subscription. */
async function listening(stream: Stream): Promise<void> {
  const subscribed = new Promise((resolve) => stream.once('subscription', resolve))
  stream.connect()
  assert.deepEqual(await stream.whenAuthenticated(), {
    status: 'authenticated',
    authenticated: true,
    message: 'authenticated',
  })
  await subscribed
}

const parsed = (text: string) => (text === '' ? undefined : JSON.parse(text))

const socketUrl = (url: string, path: string): string => url.replace(/^http/, 'ws') + path
