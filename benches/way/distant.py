#!/usr/bin/env python3
"""For ProxyCommand: a TCP connection whose bytes are on the way for some time.

    distant.py HOST PORT MILLISECONDS       half of them each way
"""
import os
import queue
import socket
import sys
import threading
import time

link = socket.create_connection((sys.argv[1], int(sys.argv[2])))
link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
half = int(sys.argv[3]) / 2000


def carry(read, write):
    """Delays by the same time whatever comes, however much is on the way."""
    on_the_way = queue.Queue()

    def deliver():
        while True:
            due, data = on_the_way.get()
            time.sleep(max(0.0, due - time.monotonic()))
            if not data:
                # Either side's end ends the connection.
                os._exit(0)
            write(data)

    threading.Thread(target=deliver, daemon=True).start()
    while True:
        data = read(1 << 16)
        on_the_way.put((time.monotonic() + half, data))
        if not data:
            return


def out(data):
    while data:
        data = data[os.write(1, data):]


threading.Thread(target=carry, args=(link.recv, out), daemon=True).start()
carry(lambda most: os.read(0, most), link.sendall)
time.sleep(10)
