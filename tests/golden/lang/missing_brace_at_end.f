define process name=a {
  thread name=t {
    flowop read name=r
