import { prepare } from './broker.ts'

export * from './kit.ts'

// The modules of the server load with this module, so that no test waits for them.
await prepare()
