import type { Faulted, RequestStep } from './step.ts'

/** Waits for the turn of the world among the worlds of this process. */
export const turn: RequestStep<Faulted> = ({ turns }, exchange) => {
  const { context, params, startedMs, connection } = exchange
  exchange.progress.work()
  const world = params['world'] ?? context.state.world?.id
  return world === undefined ? undefined : turns.wait(world, startedMs, connection)
}
