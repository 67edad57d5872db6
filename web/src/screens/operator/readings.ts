import { signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { reading } from '../../live/reading.ts'
import { actingOperator, operator } from '../../session/connections.ts'
import { worldName } from '../../session/selection.ts'
import { type Metrics, metricsOf } from './metrics.ts'

export type Store = Output<'getWorldStore'>
export type Audit = Output<'readAudit'>
export type Backup = Output<'listBackups'>[number]

const inWorld = () => ({ params: { world: worldName.peek() } })

export type Server = {
  /** Why the server accepts no commands; undefined if it does. */
  readonly notReady: string | undefined
  readonly warning: string | undefined
  readonly metrics: Metrics
}

export const server = reading<Server>(async () => {
  const { client } = operator()
  const [text, ready] = await Promise.all([
    client.getMetrics(),
    client.getReadiness().then(
      ({ warning }) => ({ notReady: undefined, warning }),
      (error: Error) => ({ notReady: error.message, warning: undefined }),
    ),
  ])
  return { ...ready, metrics: metricsOf(text) }
})
export const store = reading(() => operator().client.getWorldStore(inWorld()))
export const backups = reading(() => operator().client.listBackups())
const people = reading(() => operator().client.listUsers(inWorld()))
export const readings = [server, store, backups, people] as const

export const userName = (id: string): string =>
  people.value.value?.find(({ user_id: one }) => one === id)?.name ?? id.slice(0, 8)

/** An action of the viewer that takes a while. */
export class Action<Result> {
  readonly isRunning = signal(false)
  readonly result = signal<Result | undefined>(undefined)
  readonly problem = signal<Error | undefined>(undefined)
  readonly #run: () => Promise<Result>

  constructor(run: () => Promise<Result>) {
    this.#run = run
  }

  async run(): Promise<void> {
    if (this.isRunning.peek()) return
    this.isRunning.value = true
    this.problem.value = undefined
    try {
      this.result.value = await this.#run()
    } catch (error) {
      this.problem.value = error as Error
    }
    this.isRunning.value = false
  }

  clear(): void {
    this.result.value = undefined
    this.problem.value = undefined
  }
}

export const audit = new Action(async () => {
  const result = await actingOperator().client.readAudit(inWorld())
  await store.read()
  return result
})

export const backup = new Action(async () => {
  const result = await actingOperator().client.createBackup({ body: {} })
  await Promise.all([store.read(), backups.read()])
  return result
})
