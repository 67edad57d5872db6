import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import Alpaca from 'alpaca-trade-api-3'
import { testCertificate, testKey } from '../../server/src/http/testing/certificate.ts'
import { type Broker, newFolder, startBroker } from '../broker.ts'
import { Witness } from './witness.ts'

const FINISHED = 'http.client.response.finish'

// biome-ignore lint/suspicious/noExplicitAny: its types know none of its own options, and call every answer any
export type Alpaca3 = any

/** The official SDK at 3.1.3, led to our server by its own options, with a witness of what it did there. */
export class OfficialSdk3 {
  readonly witness = new Witness()

  constructor() {
    // As whoever serves https at home does: the certificate counts as known.
    setDefaultCACertificates([...getCACertificates('default'), testCertificate])
    subscribe(FINISHED, this.#finished)
  }

  /** With https, because its stock streams speak nothing else. */
  static startBroker(): Promise<Broker> {
    const folder = newFolder()
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
    writeFileSync(certificate, testCertificate)
    writeFileSync(key, testKey, { mode: 0o600 })
    return startBroker(['--data', 'memory', '--tls', `${certificate},${key}`])
  }

  client({ url, keyId, secretKey }: Pick<Broker, 'url' | 'keyId' | 'secretKey'>, feed = 'iex'): Alpaca3 {
    const urls = { baseUrl: url, dataBaseUrl: url, dataStreamUrl: url }
    return new (Alpaca as Alpaca3)({ ...urls, keyId, secretKey, feed })
  }

  close(): void {
    unsubscribe(FINISHED, this.#finished)
  }

  readonly #finished = (told: unknown): void => {
    const { request, response } = told as { request: ClientRequest; response: IncomingMessage }
    const path = request.path.split('?', 1)[0]!
    const isGood = response.statusCode! >= 200 && response.statusCode! < 300
    if (isGood && !path.startsWith('/sim/')) this.witness.answered(request.method, path, undefined, undefined)
  }
}
