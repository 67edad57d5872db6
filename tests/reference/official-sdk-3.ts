import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { after } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import Alpaca from 'alpaca-trade-api-3'
import { testCertificate, testKey } from '../../server/src/http/testing/certificate.ts'
import { type Broker, newFolder, startBroker } from '../support/broker.ts'
import { Coverage } from './coverage.ts'

const FINISHED = 'http.client.response.finish'

// biome-ignore lint/suspicious/noExplicitAny: its types lack its own options, and every response is any
export type Alpaca3 = any

let common: Promise<Broker> | undefined
after(async () => (await common)?.stop())

/** The official SDK 3.1.3 with the URL of our server, and a record of its use by one spec. */
export class OfficialSdk3 {
  readonly coverage = new Coverage('official JavaScript SDK 3')
  /** The keys of its clients: other specs of the process use others. */
  readonly #keyIds = new Set<unknown>()

  constructor() {
    // The test certificate is trusted.
    setDefaultCACertificates([...getCACertificates('default'), testCertificate])
    subscribe(FINISHED, this.#finished)
  }

  /** One broker for all specs of a process. Uses https, because the stock streams of the SDK support nothing else. */
  static commonBroker(): Promise<Broker> {
    common ??= OfficialSdk3.#startBroker()
    return common
  }

  static #startBroker(): Promise<Broker> {
    const folder = newFolder()
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
    writeFileSync(certificate, testCertificate)
    writeFileSync(key, testKey, { mode: 0o600 })
    return startBroker(['--data', 'memory', '--tls', `${certificate},${key}`])
  }

  client({ url, keyId, secretKey }: Pick<Broker, 'url' | 'keyId' | 'secretKey'>, feed = 'iex'): Alpaca3 {
    this.#keyIds.add(keyId)
    const urls = { baseUrl: url, dataBaseUrl: url, dataStreamUrl: url }
    return new (Alpaca as Alpaca3)({ ...urls, keyId, secretKey, feed })
  }

  close(): void {
    unsubscribe(FINISHED, this.#finished)
  }

  readonly #finished = (message: unknown): void => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage }
    if (!this.#keyIds.has(request.getHeader('APCA-API-KEY-ID'))) return
    const path = request.path.split('?', 1)[0]!
    const isGood = response.statusCode! >= 200 && response.statusCode! < 300
    if (isGood && !path.startsWith('/sim/'))
      this.coverage.succeeded(request.method, path, undefined, undefined)
  }
}
