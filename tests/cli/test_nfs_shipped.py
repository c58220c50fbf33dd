#!/usr/bin/python3
"""Every shipped workload does over NFS what its lists of flowops say, as it does in a directory; on
nfs-ganesha, made small."""
import re
import unittest

import ganesha
import nfs_case
import test_shipped


def setUpModule():
    nfs_case.need_server()


# They have a line that is come to only after a while.
SLOW = r"oltp.*|tpcso|videoserver|filemicro_rwritefsync"


class NfsShipped(test_shipped.Shipped):
    def seconds(self, name):
        return 6 if re.fullmatch(SLOW, name) else 1

    def setUp(self):
        super().setUp()
        self.server = ganesha.Ganesha(self.room / "server", [ganesha.Export("vfs", self.target)]).start()
        self.addCleanup(self.server.stop)

    def address(self, name):
        return self.server.address("vfs", "/" + name)


if __name__ == "__main__":
    unittest.main()
