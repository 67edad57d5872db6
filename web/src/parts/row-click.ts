/** A click on a row, except on a link or a button in it, which do what they say. */
export const onRow =
  (run: () => void) =>
  ({ target }: { readonly target: EventTarget | null }): void => {
    if (!(target as Element).closest('a, button')) run()
  }
