import { join } from 'node:path'
import { clusterMutations } from './cluster/mutations.ts'
import { mutate } from './mutate.ts'

/** Changes one line of the program while it is loaded, then runs the spec that must detect it. */
const mutation = clusterMutations.find(({ name }) => name === process.argv[2])!
const changed = mutate(mutation)
await import(join(import.meta.dirname, '..', '..', mutation.spec!))
changed.assertOnce()
