"""One end of a test with a published SDK for Python: a worker or a client, as its first argument says.

    main.py worker ADDRESS OPTIONS    runs workflows and activities until its standard input closes
    main.py client ADDRESS            does what each line of its standard input asks for, and answers with a line

OPTIONS is a JSON object; worker.py says what may be in it, client.py what a line may ask for.
"""

import json
import sys


def main(role, address, options="{}"):
    if role == "worker":
        import worker

        worker.run(address, json.loads(options))
    elif role == "client":
        import client

        client.run(address)
    else:
        sys.exit(f"neither worker nor client: {role}")


if __name__ == "__main__":
    main(*sys.argv[1:])
