import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditFaults, type WorldId } from '@quipu/core'
import { openTokenStage } from '@quipu/server/http/tokenization/testing/issuers.ts'
import { readWorldFile } from './file/read.ts'
import { saveWorld } from './file/write.ts'

test('a world saved in the middle of a mint with an external issuer loads with the request on hold, and calls nobody', async (t) => {
  const stage = await openTokenStage(t)
  stage.externalIssuer.respond = ({ route }) => (route === 'POST /mint' ? { status: 503 } : undefined)
  const { tokenization_request_id: id } = (await stage.mint()).body
  await stage.world.commands.quiet()
  const chunks: Buffer[] = []
  for await (const chunk of await saveWorld(stage.world, { version: 'test', series: [] })) chunks.push(chunk)
  const file = await readWorldFile(Buffer.concat(chunks))
  assert.equal(file.header.hash, stage.world.storage.journal.head().hash)
  const { worlds } = stage.services
  const nothing = async () => undefined
  const entry = await worlds.lifecycle.load(file, 'copy' as WorldId, { prepare: nothing, complete: nothing })
  stage.externalIssuer.requests.length = 0
  await entry.clock!.advance((entry.clock!.now() + 600_000_000_000n) as never)
  await entry.world.commands.quiet()
  assert.deepEqual(stage.externalIssuer.requests, [])
  assert.equal(entry.world.view.requests.get(id)?.held, true)
  assert.deepEqual(auditFaults(entry.world.view), [])
  assert.deepEqual(
    [...entry.world.view.issuerKeys.values()].join(''),
    '',
    'keys of issuers are not in the file',
  )
})
