import { after } from 'node:test'
import { openPool } from '../postgres/connection.ts'
import { migrate } from '../postgres/migrations.ts'
import { Cluster } from '../postgres/testing/server.ts'
import { postgresAccess } from '../registry/store/postgres-access.ts'
import { accessSuite } from './testing/access-suite.ts'

const cluster = await Cluster.common()
const url = await cluster.database('access')
await migrate(url)
const pool = openPool(url)
after(async () => {
  await pool.end()
  await cluster.stop()
})

accessSuite(async (name) => postgresAccess(() => pool, name), true)
