import { after } from 'node:test'
import { Cluster } from '../postgres/testing/server.ts'
import type { AccessStore } from './access-store.ts'
import { openPostgresAccess } from './postgres.ts'
import { accessSuite } from './testing/access-suite.ts'

const cluster = await Cluster.start()
const opened: AccessStore[] = []
after(async () => {
  await Promise.allSettled(opened.map((store) => store.close()))
  await cluster.stop()
})
const url = await cluster.database('access')

accessSuite(async (name) => {
  const store = openPostgresAccess(() => url, name)
  opened.push(store)
  return store
}, true)
