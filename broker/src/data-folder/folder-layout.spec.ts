import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { test } from 'node:test'
import { mainPaths, worldPaths } from './folder-layout.ts'

const { record, journal, nameOf } = worldPaths('data')

/** Windows opens a device for these names, also with an ending, and refuses these characters. */
const isDevice = (name: string): boolean => /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name)
const isRefused = (name: string): boolean => /[<>:"/\\|?*]|[. ]$/.test(name)

for (const world of ['con', 'prn', 'aux', 'nul', 'com1', 'lpt9', 'console', 'nul-1', 'friday'])
  test(`the files of the world ${world} are files on Windows too, and keep its name`, () => {
    for (const [path, name] of [
      [record(world), `${world}.json`],
      [journal(`${world}.1`), `${world}.1`],
    ] as const) {
      const file = basename(path)
      assert.equal(isDevice(file) || isRefused(file), false, file)
      assert.equal(nameOf(file), name)
    }
  })

test('only the files of worlds with the name of a device have another name', () => {
  assert.equal(basename(record('friday')), 'friday.json')
  assert.equal(basename(record('nul')), 'nul_.json')
  assert.equal(basename(journal('com1.12')), 'com1_.12')
})

test('the files of main are files on Windows', () => {
  for (const path of Object.values(mainPaths('data')))
    assert.equal(isDevice(basename(path)) || isRefused(basename(path)), false, path)
})
