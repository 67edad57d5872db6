import { prepare } from './broker.ts'

/** The entry point for `require`, which cannot wait: the modules of the server load in the background. */
export * from './kit.ts'

prepare().catch(() => undefined)
