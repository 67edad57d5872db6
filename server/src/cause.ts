import { AsyncLocalStorage } from 'node:async_hooks'

const requests = new AsyncLocalStorage<string>()

/**
 * Runs a handler on behalf of a request. Whatever the handler has decided, however long it waited for something else in
 * between, is then marked with the request's id: no handler has to hand it on.
 */
export const onBehalfOf = <Given extends unknown[], Value>(
  requestId: string,
  run: (...given: Given) => Value,
  ...given: Given
): Value => requests.run(requestId, run, ...given)

/** The request on whose behalf this code runs, if there is one. */
export const currentRequest = (): string | undefined => requests.getStore()
