define process name=a {
  thread name=t {
    flowop read name=r
  thread name=u {
    flowop read name=r
  }
}
define process name=b
  thread name=t {
    flowop read name=r
  }
}
define process name=c {
  flowop read name=r
}
flowop read name=r
thread name=t { }
define flowop name=d flowop read name=r
define process name=e {
  thread name=t {
    read name=r
    {
  }
}
