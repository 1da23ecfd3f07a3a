"""Files that tell the tests what happened."""


def note(ledger, line):
    """Appends a line in one piece, so that lines of several processes do not mix; returns how many there are."""
    with open(ledger, "a+b", buffering=0) as file:
        file.write(f"{line}\n".encode())
        file.seek(0)
        return file.read().count(b"\n")
