import { operation } from '../../operation.ts'
import { record } from '../../shape/index.ts'
import { ofWorld, worldTexts } from './world-param.ts'
import { WorldShape } from './worlds.ts'

export const descriptions = {
  updateWorld: operation('PATCH /sim/v1/worlds/{world}', ofWorld, {
    summary:
      'Set the title or the note of a world; an absent one stays. A temporary fork is kept from then on.',
    body: record(worldTexts).named('WorldUpdate'),
    output: WorldShape,
    errors: ['invalidParameter', 'worldNotFound'],
  }),
}
