import { broker } from '../support/shared-broker.ts'
import { run } from './run-process.ts'

const { url, brokerKey, brokerSecret } = broker

/** Runs `quipu run` with the shared broker. With a broker of its own a run costs twice as much. */
export const runOnShared: typeof run = (flags, command, { env, ...options } = {}) =>
  run(['--url', url, ...flags], command, {
    ...options,
    env: { QUIPU_BROKER_KEY: brokerKey, QUIPU_BROKER_SECRET: brokerSecret, ...env },
  })
