loadline targets nfs
