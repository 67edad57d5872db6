import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Browser } from '../../server/src/http/oauth/testing/pages.ts'
import { newPage } from '../dashboard/stage.ts'
import { type Broker, callAsOperator } from '../support/broker.ts'
import { signedIn } from '../worlds/credentials.ts'

/** A link that signs the first user of `main` in with operator rights, at this node. */
async function linkOf(node: Broker, url = node.url): Promise<string> {
  const [user] = (await callAsOperator(node, 'GET', '/sim/v1/worlds/main/users')).body
  const path = `/sim/v1/worlds/main/users/${user.name}/link`
  const { status, body } = await callAsOperator(node, 'POST', path, { operator: true })
  assert.equal(status, 201, JSON.stringify(body))
  const { pathname, search } = new URL(body.url)
  return url + pathname + search
}

/** A browser without pages that has signed in at this node, with operator rights. */
export const signedInAt = async (node: Broker): Promise<Browser> => signedIn(node.url, await linkOf(node))

/** The dashboard of a node, signed in with operator rights. */
export async function dashboardOf(
  t: Parameters<typeof newPage>[0],
  node: Broker,
  path: string,
): Promise<Page> {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../web/build.ts'), '--if-needed'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const page = await newPage(t)
  const url = node.url.replace('127.0.0.1', 'quipu.localhost')
  await page.goto(await linkOf(node, url))
  await page.getByRole('button', { name: /Sign in/ }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.goto(url + path)
  return page
}
