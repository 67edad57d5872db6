import type { ClientOptions } from '@quipu/sdk'
import type { KeptRun, KeptTarget } from '../run/file/kept-run.ts'
import { messageInBody } from '../run/gateway/forward.ts'
import { Traffic } from '../run/gateway/traffic.ts'
import { Measurement } from '../run/report/measure.ts'
import type { TimelineLine } from './journal.ts'

export type KeepScenario = (target: KeptTarget) => Promise<KeptRun | undefined>

/** A scenario that is kept for its run file: the requests of its steps, and its timeline as output. */
export class KeptScenario {
  /** By the clock of the world. */
  nowMs = 0
  readonly kept: KeptRun
  readonly #measurement: Measurement
  readonly #traffic: Traffic

  private constructor(kept: KeptRun, measurement: Measurement) {
    this.kept = kept
    this.#measurement = measurement
    this.#traffic = new Traffic(kept.recorder)
    kept.recorder.useClock(() => this.nowMs)
  }

  static async begin(target: KeptTarget, keep: KeepScenario): Promise<KeptScenario | undefined> {
    const kept = await keep(target)
    return kept && new KeptScenario(kept, await Measurement.start(target))
  }

  stop(): void {
    this.#measurement.stop()
  }

  /** Before the world is deleted. */
  async collect(timeline: readonly TimelineLine[]): Promise<void> {
    for (const { at, what } of timeline) this.kept.recorder.note(at, what)
    await this.kept.collect(await this.#measurement.summary(this.#traffic, 0))
  }

  /** Sends requests, and keeps them with their responses. */
  readonly fetchWith =
    (send: ClientOptions['fetch'] = fetch): typeof fetch =>
    async (input, init) => {
      const { pathname, search } = new URL(String(input))
      const [method, path] = [init?.method ?? 'GET', pathname + search]
      const end = this.kept.recorder.request(method, path)
      this.#traffic.requests += 1
      const body = typeof init?.body === 'string' ? init.body : ''
      try {
        const response = await send(input, init)
        const answer = await response.clone().text()
        const { status, headers } = response
        end(body, {
          status,
          isComplete: true,
          body: answer,
          fault: headers.get('x-quipu-fault') ?? undefined,
        })
        if (status >= 400)
          this.#traffic.refused({ method, path: pathname, status, message: messageInBody(answer) })
        return response
      } catch (error) {
        end(body, { isComplete: false })
        throw error
      }
    }
}
