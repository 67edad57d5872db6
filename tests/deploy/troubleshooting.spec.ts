import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FolderInUse } from '../../broker/src/data-folder/folder.ts'
import { isSpec, root, sources, textOf } from '../architecture/sources.ts'

const page = readFileSync(join(root, 'docs/guides/troubleshooting.md'), 'utf8')

/** The texts of the product, with values as an ellipsis, and a message that its source builds from parts. */
const product = [
  ...sources.filter((file) => /^(broker|server|cli|contract)\/src\//.test(file) && !isSpec(file)).map(textOf),
  new FolderInUse('/var/lib/quipu', 7).message,
].map((text) => text.replaceAll(/\$?\{[^{}]*\}/g, '…'))

/** PostgreSQL prints it. tests/deploy/postgres.spec.ts starts a server with a role that may not create tables. */
const others = ['permission denied for schema public']

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Whether the product prints a message. An ellipsis is any text of a line. */
function isPrinted(message: string): boolean {
  const parts = message.split('…').map((part) => escaped(part.trim()))
  const wanted = new RegExp(parts.filter(Boolean).join('[^\\n]{1,120}?'))
  return product.some((text) => wanted.test(text))
}

test('the product prints every message that the troubleshooting guide names', () => {
  const rows = [...page.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell]) => cell!)
  const messages = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!))
  assert.ok(messages.length > 10, `${messages}`)
  assert.deepEqual(
    messages.filter((message) => !others.includes(message) && !isPrinted(message)),
    [],
  )
})

test('a message that the product does not print is refused', () => {
  assert.equal(isPrinted('the world … was stolen by …'), false)
  assert.equal(isPrinted('no server is walking on …'), false)
})
