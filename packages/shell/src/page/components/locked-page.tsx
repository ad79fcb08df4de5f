// Instead of the page, while it has no access: says why, and what the user can do. It goes by itself when a tab
// of this browser lets it in.

export function LockedPage({ wasKeyRefused }: { readonly wasKeyRefused: boolean }) {
  return (
    <main className="mx-auto max-w-xl p-8">
      <div role="alert" className="space-y-3">
        <h1 className="text-lg font-semibold">Press Enter in the terminal for a new address</h1>
        <p className="text-sm">
          {wasKeyRefused
            ? "The address that led here was used before, or its shell has ended. It opens one page, once."
            : "This page has no access to the shell, and no open tab of this browser has given it any."}{" "}
          In the terminal where the shell runs, press Enter, and open the address that it prints.
        </p>
        {wasKeyRefused && (
          <p className="text-sm">
            An address that is used twice may have been seen by somebody else: all pages that it had opened have lost their access too.
          </p>
        )}
        <button type="button" className="button button-main" onClick={() => location.reload()}>
          Try again
        </button>
      </div>
    </main>
  );
}
